"""What a kernel's source shows: loops, indices, accesses, what may meet and what stays the same.
It never writes text, and never takes for shown what is only likely."""
