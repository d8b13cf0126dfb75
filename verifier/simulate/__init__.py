"""A simulated crowd with known habits that works over real HTTP."""
