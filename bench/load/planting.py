"""The rows behind the points: organizations, people, corpora, documents and every chunk, planted in PostgreSQL.

Ids are those of the points (`synthetic.named`). Texts are 2,000 chunks' words in turns, because what a row costs is its
size: which words it has changes what is told, not how long it takes.
"""

import psycopg

from bench.load.synthetic import GLOBAL_CORPORA, GRANULARITY, PEOPLE, Library, corpus_of, named

TEXTS = 2_000
PLANTED = (
    """
INSERT INTO corpora_document (id, created_at, corpus_id, file, filename, title, summary, media_type, size, sha256,
    source_path, status, stage, progress, error_code, page_count, chunk_count, version, attempts, not_before,
    content_type, unit, topic, difficulty, language, course, tags, meta, source_reference, fact_key)
SELECT md5('document:' || number)::uuid, now(), corpus, '', number || '.pdf', 'Acta ' || number, '', 'application/pdf',
    100000, md5(number::text), '', 'indexed', '', 1, '', 10, chunks, 1, 0, now(), 'teoria', '1', '', '', 'es', '',
    '[]', '{}', '', '' FROM planted""",
    f"""
INSERT INTO corpora_chunk (id, document_id, version, granularity, index, text, text_hash, token_count, start, "end",
    page_start, page_end, heading_path, parts)
SELECT md5('chunk:' || first + place)::uuid, md5('document:' || planted.number)::uuid, 1, {GRANULARITY}, place,
    texts.text, md5((first + place)::text) || md5((first + place)::text), 400,
    place * 2000, (place + 1) * 2000, 1 + place / 3,
    1 + place / 3, '["Acta"]', '[]'
FROM planted, generate_series(0, chunks - 1) AS place JOIN texts ON true
WHERE texts.number = (first + place) % {TEXTS}""",
)


def plant(library: Library, address: str) -> None:
    """`address` is the superuser's, for what is many: neither rules nor triggers are asked. Django is set up."""
    plant_owners(library)
    block, texts = library.block(0), []
    for number in range(TEXTS):
        texts.append((number, library.text(block.words[number % len(block.words)].tolist())))
    with psycopg.connect(address) as link, link.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("CREATE TEMP TABLE planted (number int, corpus uuid, first int, chunks int)")
        cursor.execute("CREATE TEMP TABLE texts (number int PRIMARY KEY, text text)")
        with cursor.copy("COPY planted FROM STDIN") as copy:
            for one in library.documents:
                copy.write_row((one.number, one.corpus, one.first, one.chunks))
        with cursor.copy("COPY texts FROM STDIN") as copy:
            for row in texts:
                copy.write_row(row)
        cursor.execute("ANALYZE texts")
        for statement in PLANTED:
            cursor.execute(statement)
    with psycopg.connect(address, autocommit=True) as link:
        link.execute("VACUUM ANALYZE")


def plant_owners(library: Library) -> None:
    """Organizations, ten people each, and their corpora."""
    from accounts.models import Organization, User
    from accounts.tenancy.scope import system_scope
    from corpora.models import Corpus

    numbers = range(library.organizations)
    homes = [Organization(id=named("organization", n), name=f"O{n}", slug=f"o{n}") for n in numbers]
    owners = [
        User(id=named("user", n, person), email=f"p{person}@o{n}.example") for n in numbers for person in range(PEOPLE)
    ]
    shared = [
        Corpus(id=corpus_of(n, None, shelf), organization=homes[n], corpus_type="global", name=f"C{shelf}")
        for n in numbers
        for shelf in range(GLOBAL_CORPORA)
    ]
    personal = [
        Corpus(
            id=corpus_of(n, person, 0),
            organization=homes[n],
            corpus_type="personal",
            owner_id=named("user", n, person),
            name="Own",
        )
        for n in numbers
        for person in range(PEOPLE)
    ]
    with system_scope():
        Organization.objects.bulk_create(homes, batch_size=1000)
        User.objects.bulk_create(owners, batch_size=1000)
        Corpus.objects.bulk_create([*shared, *personal], batch_size=1000)
