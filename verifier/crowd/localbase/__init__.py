"""What the platforms on this machine share: a state file, a clock, sockets, faults on demand."""
