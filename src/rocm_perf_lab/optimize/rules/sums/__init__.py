"""Rules about adding up: in registers, between the lanes of a wave, in LDS, and then once.
They never give sums of floating-point numbers another order unless that is allowed."""
