"""What of a passage a re-ranker reads: its sentences that matter most to the question, not its first ones. Pure.

Source: two-tier-corpora.es.md (the 50 best are read again, 10 stay). Fifty passages of 800 tokens are more than a
cross-encoder reads in the time that a reader waits, and more than it reads at all of each: most take 512 tokens.
"""

from collections.abc import Sequence

from retrieval.confidence.coverage import weigh_question
from retrieval.context.compression import compress
from retrieval.context.snippets import snippet
from retrieval.ranking.relevance import SearchQuery
from retrieval.results import RetrievedChunk

EXCERPT_WIDTH = 800  # characters, about 200 tokens


def excerpts(question: SearchQuery, chunks: Sequence[RetrievedChunk], width: int = EXCERPT_WIDTH) -> list[str]:
    """At most `width` characters of each chunk's text, elisions marked; all of one that is not longer."""
    wanted = weigh_question(question.text, [chunk.text for chunk in chunks], question.terms)
    shown = []
    for chunk in chunks:
        text = chunk.text
        if len(text) > width:
            shorter = compress(chunk, int(width * chunk.token_count / len(text)), wanted)
            # Compression counts in tokens, and a passage may be one sentence that is longer than all there is room for.
            is_fitting = shorter is not None and len(shorter.text) <= width
            text = shorter.text if shorter and is_fitting else snippet(question.text, text, width)
        shown.append(text)
    return shown
