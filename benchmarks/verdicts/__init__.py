"""Is the first advice of ``explain`` the mend? A labelled corpus of slow and mended programs."""
