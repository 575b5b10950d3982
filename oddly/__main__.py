"""`python -m oddly` is the command `oddly`."""

import sys

from oddly.interfaces.command_line import main

if __name__ == "__main__":
    sys.exit(main())
