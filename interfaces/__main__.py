"""`python -m interfaces` is `oddly`."""

import sys

from interfaces.command_line import main

if __name__ == "__main__":
    sys.exit(main())
