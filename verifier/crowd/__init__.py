"""The crowd: platforms, arrivals, submissions, grading and review."""
