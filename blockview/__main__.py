"""`python -m blockview`."""

import sys

from blockview.cli import main

if __name__ == "__main__":
    sys.exit(main())
