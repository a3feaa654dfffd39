"""Measure answers on a folder of documents: references, citations, confidence, a course, extractive answers.

    python -m bench.answers --samples FOLDER [--only PART …] [--extractive FOLDER …] [--paragraphs FOLDER …]
        [--json FILE] [--embeddings URL --model NAME --dimensions N] [--references N] [--others N] [--keep FOLDER]

FOLDER's documents are read by the bench itself for the truth, ingested by an installation of its own on 127.0.0.1 in
a temporary folder, and asked about over HTTP. Parts: references, others, separation, held, course, extractive,
paragraphs; the cited sentences are judged as well. `--extractive` takes folders as `evaluate` does, with answers,
`--paragraphs` those whose documents are paragraphs. `held` asks about the project's own samples, among FOLDER's:
nothing was tuned on them or on what is asked. It is asked only where it is named: look at it once.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.answers import measuring
from bench.answers.judging import Quote
from bench.answers.library import Embeddings, opened_library
from bench.answers.papers import Paper, read_own, read_papers
from bench.answers.paragraphs import lay_out, separation_without
from bench.answers.questions import COURSE
from bench.answers.references import of_laws, of_others
from bench.answers.report import table
from bench.answers.sections import places_of
from bench.results import commit

PARTS = ("references", "others", "separation", "held", "course", "extractive", "paragraphs")


def main() -> None:
    options = parsed()
    parts, results, began = (
        options.only or [part for part in PARTS if part != "held"],
        {"commit": commit()},
        time.monotonic(),
    )
    embeddings = Embeddings(options.embeddings, options.model, options.dimensions)
    if options.samples and set(parts) - {"held", "extractive", "paragraphs"}:
        results |= measured(read_papers(options.samples), parts, embeddings, options)
    if options.samples and "held" in parts:
        papers = [*read_papers(options.samples), *read_own()]
        with opened_library(papers, embeddings) as library:
            results["held"] = measuring.held(library, papers)
    if "extractive" in parts:
        for folder in options.extractive:
            results[f"extractive {folder.name}"] = of_folder(folder, embeddings, options.most)
    if "paragraphs" in parts:
        for folder in options.paragraphs:
            results[f"paragraphs {folder.name}"] = of_paragraphs(folder, embeddings)
    print(f"\n{table(results)}\n\n{time.monotonic() - began:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(results, ensure_ascii=False, indent=1), encoding="utf-8")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=__doc__)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--extractive", type=Path, action="append", default=[])
    parser.add_argument("--references", type=int, default=360, help="questions that name a place of a law")
    parser.add_argument("--others", type=int, default=140, help="questions that name a place of another document")
    parser.add_argument("--paragraphs", type=Path, action="append", default=[])
    parser.add_argument("--most", type=int, default=400, help="questions of each folder of --extractive")
    parser.add_argument("--embeddings", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--dimensions", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="leave the installation's data here")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measured(
    papers: Sequence[Paper], parts: Sequence[str], embeddings: Embeddings, options: argparse.Namespace
) -> dict[str, Any]:
    places = [place for paper in papers for place in places_of(paper)]
    quotes: list[Quote] = []
    results: dict[str, Any] = {}
    with opened_library(papers, embeddings, options.keep) as library:
        if "references" in parts:
            results["references"] = measuring.references(library, of_laws(places, options.references), quotes)
        if "others" in parts:
            asked = of_others(places, papers, options.others, skipped=[COURSE])
            results["others"] = measuring.references(library, asked, quotes)
        if "separation" in parts:
            results["separation"] = measuring.separation(library, papers, quotes)
        if "course" in parts and COURSE in library.corpora:
            results["course"] = measuring.course(library)
    return results | {"cited": measuring.cited(quotes)}


def of_paragraphs(folder: Path, embeddings: Embeddings) -> dict[str, Any]:
    """A data set of `evaluate` whose documents are paragraphs, asked with and without the one that answers."""
    with tempfile.TemporaryDirectory(prefix="acervo-bench-set-") as name:
        asked = lay_out(folder, Path(name))
        with opened_library(read_papers(Path(name)), embeddings) as library:
            return {half: asdict(found) for half, found in separation_without(library, asked).items()}


def of_folder(folder: Path, embeddings: Embeddings, most: int) -> dict[str, Any]:
    """A data set of `evaluate`, each of its documents a file; questions evenly chosen."""
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    step = max(1, len(asked) // most)
    pairs = [(one["text"], [answer["text"] for answer in one["answers"]]) for one in asked[::step][:most]]
    with tempfile.TemporaryDirectory(prefix="acervo-bench-set-") as name:
        home = Path(name) / folder.name
        home.mkdir()
        for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            (home / f"{row['id']}.md").write_text(f"# {row.get('title', '')}\n\n{row['text']}\n", encoding="utf-8")
        with opened_library(read_papers(home), embeddings) as library:
            return measuring.extractive(library, pairs)


if __name__ == "__main__":
    main()
