"""Adjudication: what an expert looks at first, what he decides, and the same as a table."""
