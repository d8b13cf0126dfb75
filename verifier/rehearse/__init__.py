"""A rehearsal: the whole campaign on a copy of the study, on a platform of this machine."""
