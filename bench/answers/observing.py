"""What retrieval measures of questions, in a process of its own: `python -m bench.answers.observing DATA_DIR`.

Reads JSON lines {"text", "groups"} and writes a line for each: the measures of `retrieval.confidence.evidence`, or null
where nothing was searched. The data is that of an installation of the bench whose server has stopped.
"""

import json
import os
import sys
from dataclasses import asdict
from typing import Any


def main() -> None:
    os.environ |= {"DATA_DIR": sys.argv[1], "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
    import django

    django.setup()
    from accounts.models import Membership
    from accounts.tenancy.scope import system_scope
    from corpora.models import Corpus
    from corpora.scope import Scope
    from retrieval import search
    from retrieval.confidence.gate import score
    from retrieval.confidence.rating import measure

    seen: list[dict[str, float]] = []
    rate = search.rate_passages

    def observed(phrasings: Any, ordered: Any, kept: Any, candidates: Any, space: Any, **how: bool) -> float:
        relevance, is_narrowed = score([passage.relevance for passage in kept]), how.get("is_narrowed", False)
        seen.append(asdict(measure(phrasings[0], ordered, candidates, relevance, is_narrowed=is_narrowed)))
        return rate(phrasings, ordered, kept, candidates, space, **how)

    search.rate_passages = observed
    with system_scope():
        member = Membership.objects.filter(role="admin").select_related("organization").first()
        if member is None:
            raise SystemExit("no installation of the bench is here")
        corpora = dict(Corpus.objects.filter(organization=member.organization).values_list("name", "pk"))
        for line in sys.stdin:
            row = json.loads(line)
            seen.clear()
            groups = frozenset(corpora[name] for name in row["groups"])
            search.retrieve(row["text"], Scope(member.organization_id, member.user_id, groups))
            print(json.dumps(seen[0] if seen else None))


if __name__ == "__main__":
    main()
