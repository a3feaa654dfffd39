"""What stands beside a passage in its document: found by what is small, read with its surroundings. Pure.

Only chunks that overlap or touch a passage are taken. Chunks of one section overlap and those of different sections
do not (`workers.ingestion.chunk`), so a passage grows within its own section, and the united text is exactly the
slice of the document from its start to its end. Ranking, relevance and confidence are decided before.

Share of XQuAD's questions (whole articles, lexical, 2,000 tokens) whose answer is whole in the context, by granularity
and how many chunks on either side are read:

          es: 256   512   800     en: 256   512   800
    0        .953  .968  .968        .973  .977  .973
    1        .963  .970  .971        .980  .977  .973
    2        .963  .971  .971        .980  .978  .973
"""

from collections.abc import Sequence
from uuid import UUID

from corpora.models import Chunk
from retrieval.ranking.merging import with_neighbours_merged
from retrieval.results import RetrievedChunk

REACH = 1
LEAST_ROOM = 64  # tokens: for less nothing is read


def ids_beside(chosen: Sequence[RetrievedChunk], granularity: int, room: int) -> list[UUID]:
    """The neighbours that are worth reading: those of the best chunks first, near before far, after before before.

    As many as could fill `room` tokens if each added half of its size.
    """
    if room < LEAST_ROOM:
        return []
    known = {chunk.chunk for chunk in chosen}
    steps = [step for distance in range(1, REACH + 1) for step in (distance, -distance)]
    beside = (
        Chunk.id_for(chunk.document, chunk.version, granularity, chunk.index + step)
        for step in steps
        for chunk in chosen
        if 0 <= chunk.index + step < chunk.document_chunks
    )
    most = min(2 * room // granularity + 1, 2 * len(chosen) + 2)
    return [id for id in dict.fromkeys(beside) if id not in known][:most]


def widen(
    passages: Sequence[RetrievedChunk], neighbours: Sequence[RetrievedChunk], budget_tokens: int
) -> tuple[RetrievedChunk, ...]:
    """The passages with those neighbours, in their order, that join one and leave all within `budget_tokens`."""
    widest = tuple(passages)
    for neighbour in neighbours:
        trial = with_neighbours_merged((*widest, neighbour), budget_tokens)
        if len(trial) <= len(widest) and sum(passage.token_count for passage in trial) <= budget_tokens:
            widest = trial
    return widest
