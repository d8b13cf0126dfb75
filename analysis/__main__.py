"""`python -m analysis analyze|verify-bundle|score|agreement`: the analysis without the rest of posthoc."""

import sys

if __name__ == "__main__":
    try:
        from analysis.interrupts import LeaveAtOnce, status_of

        with LeaveAtOnce():
            from analysis.cli import main
        status = status_of(main)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
