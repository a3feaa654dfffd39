"""The admin of evaluation. Django imports this package for what it registers."""

from evaluation.admin import question_sets as question_sets
