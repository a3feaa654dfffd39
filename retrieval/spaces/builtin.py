"""The embedding spaces that were measured: fusion weights and calibration of each model (SPEC §4, §6).

Measured on XQuAD (1,190 questions in each language; paragraphs, and chunks of 3,000 characters).
"Answerable": the question against the whole corpus; "unanswerable": the same question after its article was
removed. Share judged sufficient (`retrieval.confidence.gate`), paragraphs | chunks:

    space                 answerable en, es          unanswerable en, es
    lexical               .93, .92 | .93, .90        .09, .10 | .10, .11
    all-MiniLM-L6-v2      .97, .87 | .97, .89        .08, .05 | .16, .12
    words alone           .87, .86 | .92, .89        .08, .07 | .16, .14

text-embedding-3: published measurements put a relevant question near 0.44 and an irrelevant one near 0.1
(SPEC §4).

Fusion weights, with the share of the words' coverage in the order (`ranking.relevance`), were chosen on every other
question of XQuAD es, en, es → en, en → es and SciFact, and held against the rest. Mean hit@1 of the five sets:

    dense weight, coverage    lexical: chosen on, held out      all-MiniLM-L6-v2: chosen on, held out
    .2, .2                    .742  .711
    .2, .3                    .744  .713
    .3, .3                    .748  .717   (used)
    .4, .4                    .745  .722
    .4, .3                                                      .755  .747
    .5, .3                                                      .771  .754   (used)
    .6, .3                                                      .769  .751
    .6, .2                                                      .767  .749

On chunks of 800 tokens, of which MiniLM reads 256, .6 falls below BM25 and .5 does not: so .5 is also for a model that
nobody measured. docs/evaluation.md has each set by itself.
"""

from retrieval.embeddings.base import NO_PREFIXES, Calibration, EmbeddingSpace, Prefixes

LEXICAL_MODEL = "lexical-1"  # the number changes with the algorithm: old vectors must not meet new queries

LEXICAL = Calibration(points=((0.33, 0.0), (0.58, 0.3), (0.78, 0.64), (1.07, 0.85), (1.5, 1.0)), cosine_weight=2.0)
WORDS = Calibration(points=((0.23, 0.0), (0.37, 0.3), (0.47, 0.62), (0.72, 0.85), (1.0, 1.0)), cosine_weight=0.0)
"""The question's words alone: what is left when the embedding model does not answer."""

MEASURED_FROM_THE_TAIL = Calibration(
    points=((0.28, 0.0), (0.47, 0.3), (0.62, 0.62), (0.92, 0.85), (1.3, 1.0)), background=None
)
"""Measured with all-MiniLM-L6-v2, and again with its cosines squeezed into 0.6 … 0.95, as other families have
them: the separation stays (AUC .989 instead of .990), so it also serves a model that nobody measured.
"""

TEXT_EMBEDDING_3 = Calibration(
    points=((0.1, 0.0), (0.22, 0.3), (0.36, 0.62), (0.44, 0.8), (0.6, 1.0)), coverage_weight=0.0
)

DEFAULT = (0.5, 0.5, MEASURED_FROM_THE_TAIL)
_KNOWN: dict[str, tuple[float, float, Calibration]] = {
    LEXICAL_MODEL: (0.3, 0.7, LEXICAL),
    "all-minilm-l6-v2": (0.5, 0.5, MEASURED_FROM_THE_TAIL),
    "text-embedding-3-small": (0.6, 0.4, TEXT_EMBEDDING_3),
    "text-embedding-3-large": (0.6, 0.4, TEXT_EMBEDDING_3),
}


SENTENCE_SEARCH = Prefixes("Represent this sentence for searching relevant passages: ")
QUESTION_AND_PASSAGE = Prefixes("query: ", "passage: ")
INSTRUCTED = Prefixes("Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ")
# By the beginning of a model's name, the longest first, as its publisher's card asks for it. bge-m3, all-MiniLM and
# OpenAI's ask for nothing.
_TAUGHT: dict[str, Prefixes] = {
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
    "multilingual-e5-large-instruct": INSTRUCTED,
    "multilingual-e5": QUESTION_AND_PASSAGE,
    "e5-mistral": INSTRUCTED,
    "e5-": QUESTION_AND_PASSAGE,
    "bge-m3": NO_PREFIXES,
    "bge-multilingual": INSTRUCTED,
    "bge-small-zh": Prefixes("为这个句子生成表示以用于检索相关文章："),
    "bge-base-zh": Prefixes("为这个句子生成表示以用于检索相关文章："),
    "bge-large-zh": Prefixes("为这个句子生成表示以用于检索相关文章："),
    "bge-small": SENTENCE_SEARCH,
    "bge-base": SENTENCE_SEARCH,
    "bge-large": SENTENCE_SEARCH,
    "mxbai-embed-large": SENTENCE_SEARCH,
    "snowflake-arctic-embed2": Prefixes("query: "),
    "snowflake-arctic-embed-l-v2": Prefixes("query: "),
    "snowflake-arctic-embed-m-v2": Prefixes("query: "),
    "snowflake-arctic-embed": SENTENCE_SEARCH,
    "qwen3-embedding": INSTRUCTED,
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
}


def name_of_model(model: str) -> str:
    """Without publisher (`sentence-transformers/…`) and tag (`…:latest`)."""
    return model.rsplit("/", 1)[-1].split(":", 1)[0].lower()


def prefixes_taught_to(model: str) -> Prefixes:
    """What the model's publisher asks for; none for one that nobody knows here."""
    name = name_of_model(model)
    known = (one for one in sorted(_TAUGHT, key=len, reverse=True) if name.startswith(one))
    return next((_TAUGHT[one] for one in known), NO_PREFIXES)


def space_for(model: str, dimensions: int, prefixes: Prefixes = NO_PREFIXES) -> EmbeddingSpace:
    """The space of a model, whatever publisher or tag its name has."""
    dense_weight, bm25_weight, calibration = _KNOWN.get(name_of_model(model), DEFAULT)
    return EmbeddingSpace(model, dimensions, dense_weight, bm25_weight, calibration, prefixes)
