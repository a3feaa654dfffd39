"""The lexical embedding: deterministic, forgiving, fast."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from retrieval.embeddings.lexical import DIMENSIONS, LexicalProvider, embed
from retrieval.text.folding import fold
from retrieval.text.stems import stems

TEXT = "La Cigüeña 2.0: préstamos renovables, 21 días; loans are renewed twice. Ελλάδα, 東京"


def cosine(first: str, second: str) -> float:
    return float(embed(first) @ embed(second))


def test_vectors_are_normalised_and_of_the_space_s_dimension() -> None:
    vectors = LexicalProvider().embed_documents([TEXT, "otro texto"])
    assert (vectors.shape, vectors.dtype) == ((2, DIMENSIONS), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 1.0])
    assert LexicalProvider.space.dimensions == DIMENSIONS


def test_a_text_without_words_points_nowhere_and_is_finite() -> None:
    for text in ("", " \n", "¿?!", "— … —"):
        assert not embed(text).any()


def test_documents_and_questions_share_one_space() -> None:
    provider = LexicalProvider()
    assert np.array_equal(provider.embed_documents([TEXT])[0], provider.embed_query(TEXT))


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_another_process_computes_the_same_whatever_its_hash_seed(seed: str) -> None:
    here = hashlib.sha256(embed(TEXT).tobytes()).hexdigest()
    code = (
        "import hashlib, sys; from retrieval.embeddings.lexical import embed;"
        "print(hashlib.sha256(embed(sys.argv[1]).tobytes()).hexdigest())"
    )
    root = Path(__file__).resolve().parents[2]
    there = subprocess.run(
        [sys.executable, "-c", code, TEXT],
        env=os.environ | {"PYTHONHASHSEED": seed},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here


def test_the_algorithm_is_the_one_that_indexed_vectors_were_made_with() -> None:
    """If this fails, raise the number in LEXICAL_MODEL: stored vectors and new questions would not match."""
    vector = embed("La biblioteca presta libros durante 21 días")
    strongest = np.argsort(-np.abs(vector))[:2]
    assert strongest.tolist() == [518, 567]
    assert vector[strongest] == pytest.approx([-0.33978, 0.29652], abs=1e-4)


def test_accents_and_case_do_not_matter() -> None:
    assert fold("¿Cigüeña ÁRBOL?") == "¿ciguena arbol?"
    assert cosine("préstamo de libros", "PRESTAMO DE LIBROS") == pytest.approx(1.0)


def test_inflections_share_a_stem() -> None:
    assert stems("renovaciones renovación renovar") == ["renova"]
    assert cosine("renovaciones", "renovación") > 0.5


def test_function_words_are_no_stems() -> None:
    assert stems("¿Qué es el préstamo y cuánto dura? What is the loan?") == ["presta", "dura", "loan"]


def test_a_typing_error_keeps_most_of_the_similarity() -> None:
    assert cosine("préstamo bibliotecario", "prestamo bibliotecarrio") > 0.6
    assert cosine("préstamo bibliotecario", "fotosíntesis vegetal") < 0.1


def test_six_hundred_pages_take_less_than_two_seconds() -> None:
    page = " ".join(f"palabra{n % 997} capítulo{n % 313} sección" for n in range(170))
    pages = [f"{page} {n}" for n in range(600)]
    started = time.thread_time()
    LexicalProvider().embed_documents(pages)
    assert time.thread_time() - started < 2.0
