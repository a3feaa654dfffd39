"""A course as a student has it: its page, a unit with the tutor at its side, and how far one has read."""
