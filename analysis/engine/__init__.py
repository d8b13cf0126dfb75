"""The statistic engine: exact counts per cluster, a formula over their sums, intervals for any formula."""
