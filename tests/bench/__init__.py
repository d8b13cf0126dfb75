"""Speed, measured in one run against what a user would pick instead: `python -m tests.bench [NAME...]`."""
