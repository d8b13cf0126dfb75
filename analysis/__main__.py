"""`python -m analysis analyze|verify-bundle|score|agreement`: the analysis without the rest of posthoc."""

import sys

from analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
