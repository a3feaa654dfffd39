"""Statistics for the planner, as autovacuum makes them by itself: only who owns a table may ask for them."""

from django.db import connection

FUNCTION = "tests_analyze"


def let_tests_analyze() -> None:
    """Called as the owner."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS "
                "$$ BEGIN EXECUTE 'ANALYZE'; END $$"
            )


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {FUNCTION}()" if connection.vendor == "postgresql" else "ANALYZE")
