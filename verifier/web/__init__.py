"""The task server: worker pages, JSON API and dashboard."""
