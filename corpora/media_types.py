"""What can be uploaded: the media types, by which extensions they are known, and what people call them.

Free of Django: the sandboxed extractor imports it too.
"""

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = "text/markdown"
TEXT = "text/plain"

MEDIA_TYPES = {".pdf": PDF, ".docx": DOCX, ".txt": TEXT, ".md": MARKDOWN, ".markdown": MARKDOWN}  # by extension
EXTENSIONS = {PDF: ".pdf", DOCX: ".docx", MARKDOWN: ".md", TEXT: ".txt"}  # that each is stored under
SHORT_NAMES = {PDF: "PDF", DOCX: "DOCX", MARKDOWN: "Markdown", TEXT: "TXT"}
