"""Planning and drawing: what is shown, to whom, in which order, at what price."""
