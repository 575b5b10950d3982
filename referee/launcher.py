"""Becomes the engine: sets what only a process can set for itself, then executes the command.

Run as a script by `process.py`, isolated and without site packages, so that it is up in a few
milliseconds: `launcher.py STATUS_FD PARENT_PID ADDRESS_SPACE CPU_SECONDS NICE PROGRAM ARGUMENT...`.
A limit of 0 is none. If the program cannot be executed, the system's error number goes to
STATUS_FD, which is closed by a successful execution.
"""

import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def main() -> None:
    """Read the arguments, set the limits, execute."""
    status, parent, address_space, cpu_seconds, nice = map(int, sys.argv[1:6])
    command = sys.argv[6:]
    os.set_inheritable(status, False)
    die_with(parent)
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    if cpu_seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
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
