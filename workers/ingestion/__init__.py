"""From an uploaded file to indexed chunks (SPEC §3). Imports nothing: the sandboxed child loads it without settings.

pipeline   claim, read, write, switch; how each failure ends
  │
  ├─ sandbox    a confined child for each document; what it answers is checked (`wire`, ADR 0009)
  │    └─ reading    all that needs neither network nor database, in the child
  │         ├─ extract    PDF, DOCX, Markdown and plain text to one canonical text
  │         └─ chunk      the text to passages, with their tokens
  │
  ├─ declarations    what files and folders say about documents, checked as uploads' fields are
  └─ index      a version's chunks: embedded, stored, and their points; then one switch of readers to it
"""
