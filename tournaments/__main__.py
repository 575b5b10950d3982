"""`python -m tournaments` is `oddly`."""

import sys

from tournaments.command_line import main

if __name__ == "__main__":
    sys.exit(main())
