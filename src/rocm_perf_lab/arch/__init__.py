"""Hardware facts as data files, one per gfx target, and the functions that read them."""
