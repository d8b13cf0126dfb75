"""A local Prolific: speaks the REST interface that a campaign uses, and has a site for participants.

What Prolific's documentation does not say is labelled "assumed".
"""
