"""`python -m oddly` is the command `oddly`."""

import sys


def main() -> int:
    """Run the command; return its exit code. Ctrl-C may come before all is imported."""
    try:
        from oddly.interfaces.command_line import main as run

        return run()
    except KeyboardInterrupt:
        print("oddly: interrupted", file=sys.stderr)
        return 3
    finally:
        _end_at_once_at_ctrl_c()


def _end_at_once_at_ctrl_c() -> None:
    """Let another Ctrl-C end Python without a traceback while it ends anyway."""
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
