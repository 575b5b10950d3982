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


if __name__ == "__main__":
    sys.exit(main())
