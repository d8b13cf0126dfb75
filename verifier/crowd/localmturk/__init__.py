"""A local MTurk: a program of its own that speaks MTurk's wire protocol, with a worker side and a clock.

What Amazon's documentation does not say and we had to suppose is marked "assumed" where it is done.
"""
