"""What `make load` measures, with the thresholds of PERFORMANCE.md ("Beyond one machine") and of what is promised."""

from bench.results import Book, Measure

STREAMS = (
    Measure("gap p50", "time between tokens, all of them open, p50", "ms"),
    Measure("gap p99", "time between tokens, all of them open, p99", "ms", 100),
    Measure("opening gap p50", "… while questions still come, 50 a second, p50", "ms"),
    Measure("opening gap p99", "… while questions still come, 50 a second, p99", "ms"),
    Measure("stream errors", "streams that broke or lost a token", "", 0, 0),
    Measure("stream first p50", "first token beyond the model's, p50", "ms"),
    Measure("stream first p99", "first token beyond the model's, p99", "ms"),
    Measure("stream memory", "memory of a stream", "KB", 100, 0),
    Measure("stream connections", "database connections that streams hold", "", 0, 0),
    Measure("stream pool", "connections in the process's pool, whoever waits", "", 8, 0),
    Measure("stream web cpu", "cores of the web process meanwhile", "", None, 2),
    Measure("stream generator cpu", "cores of the load's own process", "", None, 2),
    Measure("stream other cpu", "cores of model, index, PostgreSQL and Redis", "", None, 2),
)
# By their own CPU: where machines are shared, the wall tells of others. Both are shown.
LEAST_RATIO = {2: 1.7, 4: 3.2}


def carried(count: int) -> tuple[Measure, ...]:
    name = f"{count} web process{'es' if count > 1 else ''}"
    return (
        Measure(f"carried {count} errors", f"{name}: streams that broke", "", 0, 0),
        Measure(f"carried {count} tokens", f"{name}: tokens a second", "", None, 0),
        Measure(f"carried {count} cpu", f"{name}: CPU of 1,000 tokens", "s", None, 3),
        Measure(f"carried {count} web cores", f"{name}: cores that they used", "", None, 2),
        Measure(f"carried {count} generator cores", f"{name}: cores of the load's own process", "", None, 2),
        Measure(f"carried {count} other cores", f"{name}: cores of model and services", "", None, 2),
        Measure(f"carried {count} ratio", f"{name}, as a multiple of one, as carried", "×", None, 2, True),
        Measure(
            f"carried {count} ratio by cpu",
            f"{name}, as a multiple of one, where each has a core of its own",
            "×",
            LEAST_RATIO.get(count),
            2,
            True,
        ),
    )


UPLOADS = (
    Measure("uploads taken", "of 100 uploads at once: taken in at the first try", "", None, 0, True),
    Measure("uploads busy", "… told to come again (`busy`)", "", None, 0),
    Measure("uploads 5xx", "… any other 5xx", "", 0, 0),
    Measure("uploads wall", "… until the last was taken in", "s"),
    Measure("uploads indexed", "… indexed in the end", "", 100, 0, True),
    Measure("uploads indexed wall", "… until the last was indexed", "s"),
    Measure("beside uploads alone p50", "a page of somebody else, before, p50", "ms"),
    Measure("beside uploads p50", "… beside the uploads, p50", "ms"),
    Measure("beside uploads p99", "… beside the uploads, p99", "ms", 5000),
)
CHUNKS = (
    Measure("chunks", "chunks in the index", "", None, 0),
    Measure("chunks fill rate", "chunks written a second", "", None, 0, True),
    Measure("chunks opened", "opening the index", "s"),
    Measure("chunks p50", "search of both legs, p50", "ms"),
    Measure("chunks p95", "search of both legs, p95", "ms", 50),
    Measure("chunks first p95", "… in a process that has not touched them yet, p95", "ms"),
    Measure("chunks large p95", "… of organizations of 50,000 chunks and more, p95", "ms"),
    Measure("chunks cpu", "CPU of a search", "ms", None, 2),
    Measure("chunks recall", "recall@10 against exact", "", 0.97, 4, True),
    Measure("chunks neighbours", "lists that are the same without neighbours", "share", 1, 3, True),
    Measure("chunks own memory", "memory of the process after its questions, its own", "MB", None, 0),
    Measure("chunks mapped memory", "… mapped of files, which the system may take back", "MB", None, 0),
    Measure("chunks disk", "disk", "MB", None, 0),
    Measure("whole p50", "whole retrieval beyond the embedding, rows in PostgreSQL, p50", "ms"),
    Measure("whole p95", "whole retrieval beyond the embedding, rows in PostgreSQL, p95", "ms", 50),
    Measure("whole cpu", "CPU of a whole retrieval", "ms", None, 2),
)
EVERY = (*STREAMS, *carried(1), *carried(2), *carried(4), *UPLOADS, *CHUNKS)


def missed(book: Book) -> list[Measure]:
    """Those whose median does not meet the target; measured ones only."""
    return [one for one in EVERY if (found := book.summary(one.key)) and not one.is_met(found[1])]
