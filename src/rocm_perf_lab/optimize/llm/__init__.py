"""A language model as an engine: it is shown a kernel and what was measured, its reply goes
through the same gate as everything else, and every word of it is kept."""
