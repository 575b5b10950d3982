"""`python -m oddly` is the command `oddly`."""

import gc
import os
import sys

GARBAGE = 10_000
"""After how many new objects Python looks for garbage: with the usual 700, an eighth of the time
in which a command starts is spent on looking."""


def main() -> int:
    """Run the command; return its exit code. Ctrl-C may come before all is imported."""
    try:
        gc.set_threshold(GARBAGE, *gc.get_threshold()[1:])
        _open_closed_streams()
        return _import_and_run()
    except KeyboardInterrupt:
        print("oddly: interrupted", file=sys.stderr)
        return 3
    finally:
        _end_at_once_at_ctrl_c()
        # As it ends, Python would look for garbage among all that was imported once more.
        gc.freeze()


def _import_and_run() -> int:
    """Run the command. Ctrl-C comes after the import, within which Python may lose it."""
    import signal

    if sys.platform != "win32":
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        from oddly.interfaces.command_line import main as run
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return run()


def _open_closed_streams() -> None:
    """Let a standard stream that is closed lead nowhere, before a file gets its number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        # What we start has the three streams too.
        os.set_inheritable(number, True)
    os.close(number)
    # Python has None for a stream that was closed when it started.
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _end_at_once_at_ctrl_c() -> None:
    """Let another Ctrl-C end Python without a traceback while it ends anyway."""
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
