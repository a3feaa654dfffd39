"""From an uploaded file to indexed chunks. Imports nothing: the sandboxed child loads it without Django."""
