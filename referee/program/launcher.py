"""Becomes the engine: sets what only a process can set for itself, then executes the command.

Run as a script by `process.py`, isolated and without site packages, so that it is up in a few
milliseconds: `launcher.py STDIN STDOUT STATUS PARENT MARK DESCRIPTORS PROCESSES ADDRESS_SPACE DATA
CPU_SECONDS NICE PROGRAM ARGUMENT...`. The first three are descriptors, of which the first two
become the engine's standard input and output; PARENT is the process with which it dies, and a limit
of 0 is none. UP goes to STATUS first; if the program cannot be executed, the system's error number
follows. A successful execution closes it.
"""

import os
import resource
import signal
import sys

UP = b"+"
PR_SET_PDEATHSIG = 1
RLIMIT_LOCKS = 10
"""On Linux, which has ignored it for twenty years: see `orphans.py`."""


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def bear(mark: int) -> None:
    """Mark this process and its children by a limit that has no effect (Linux)."""
    if sys.platform != "linux":
        return
    try:
        resource.setrlimit(RLIMIT_LOCKS, (mark, mark))
    except (OSError, ValueError):
        # We run under such a limit ourselves; the environment has the mark too.
        return


def limit(
    descriptors: int, processes: int, address_space: int, data: int, cpu_seconds: int
) -> None:
    """Set the limits of this process that are not 0."""
    if descriptors:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard))
    if processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    if data:
        # Counts what it writes to, not what it only reserves: some run times reserve terabytes.
        resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    if cpu_seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))


def main() -> None:
    """Read the arguments, set the limits, execute."""
    stdin, stdout, status, parent, mark, *limits, nice = map(int, sys.argv[1:12])
    command = sys.argv[12:]
    os.write(status, UP)
    os.set_inheritable(status, False)
    for theirs, standard in ((stdin, 0), (stdout, 1)):
        os.dup2(theirs, standard)
        os.close(theirs)
    if parent:
        die_with(parent)
    bear(mark)
    limit(*limits)
    if nice:
        os.nice(nice)
    # Python ignores these; a program expects their defaults.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - that is its purpose
    except OSError as error:
        os.write(status, str(error.errno).encode())


if __name__ == "__main__":
    main()
