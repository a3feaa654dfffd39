"""How many examples the property tests try: few at a desk and on each database of CI, most by night (RELIABILITY R10).

By night (`.ci/nightly`), alone and behind `python -m tests.services postgres redis --`, 100 lives of 100 steps, 10,000
in all:

    python -m pytest -n 2 --hypothesis-profile=nightly -k every_user tests/test_two_tiers_stateful.py
"""

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "desk",
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=slow_is_fine,
    print_blob=True,
)
settings.register_profile("nightly", settings.get_profile("desk"), max_examples=100, stateful_step_count=100)
settings.load_profile("desk")
