"""Calibrations that were measured here, in the place of the built-in ones (SPEC §4, "measured, not guessed")."""

import time
from dataclasses import replace
from typing import Any

from retrieval.embeddings.base import Calibration, EmbeddingSpace
from retrieval.models import MeasuredCalibration

KEPT_SECONDS = 5.0  # so long may another process judge by the calibration before

_kept: dict[str, tuple[float, Calibration | None]] = {}  # by collection: until when, and what


def with_measured_calibration(space: EmbeddingSpace) -> EmbeddingSpace:
    """The space with its measured calibration if there is one; asks the database at most every 5 s."""
    until, measured = _kept.get(space.collection, (0.0, None))
    if time.monotonic() >= until:
        measured = measured_calibration(space)
        _kept[space.collection] = (time.monotonic() + KEPT_SECONDS, measured)
    return replace(space, calibration=measured) if measured else space


def measured_calibration(space: EmbeddingSpace) -> Calibration | None:
    row = MeasuredCalibration.objects.filter(space=space.collection).first()
    if row is None:
        return None
    points = tuple((float(evidence), float(relevance)) for evidence, relevance in row.points)
    return Calibration(points, row.cosine_weight, row.coverage_weight, row.background)


def store_calibration(space: EmbeddingSpace, calibration: Calibration, sample: dict[str, Any]) -> None:
    """Keep a calibration for a space; `sample` says what it was measured on and how well it separates."""
    MeasuredCalibration.objects.update_or_create(
        space=space.collection,
        defaults={
            "points": [list(point) for point in calibration.points],
            "cosine_weight": calibration.cosine_weight,
            "coverage_weight": calibration.coverage_weight,
            "background": calibration.background,
            "sample": sample,
        },
    )
    forget_calibrations()


def remove_calibration(space: EmbeddingSpace) -> bool:
    """Go back to the built-in calibration; False if none was measured."""
    removed, _by_model = MeasuredCalibration.objects.filter(space=space.collection).delete()
    forget_calibrations()
    return bool(removed)


def forget_calibrations() -> None:
    """Ask the database again at the next retrieval of this process."""
    _kept.clear()
