"""What goes wrong in a source, as the child tells it: a code, and a sentence where it helps whoever asked."""


class EngineFailed(Exception):
    """`code` is stable; `said` is the engine's own sentence, and as foreign as its rows."""

    code = "source_unavailable"

    def __init__(self, said: str = "") -> None:
        super().__init__(said)
        self.said = said


class SourceFailed(EngineFailed):
    """The source cannot be reached, opened or used as it is set up; `said` is one of our own words for why."""


class QueryFailed(EngineFailed):
    """The engine refuses the statement: a type that does not fit, a function that it does not have."""

    code = "query_failed"


class ColumnsGone(QueryFailed):
    """A file no longer has what was chosen of it; `said`: its table and these columns."""

    code = "columns_gone"


class QueryTimeout(EngineFailed):
    code = "query_timeout"


class QueryTooLarge(EngineFailed):
    code = "query_too_large"
