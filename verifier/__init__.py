"""Runs a campaign: files in, a crowd's judgments, the bundle out."""
