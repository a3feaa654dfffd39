"""The admin of knowledge. Django imports this package for what it registers."""

from corpora.admin import knowledge as knowledge
