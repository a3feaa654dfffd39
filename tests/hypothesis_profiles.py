"""How many examples the property tests try: few at the desk, all of them where CI is set (RELIABILITY R10)."""

import os

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("desk", max_examples=25, deadline=None, suppress_health_check=slow_is_fine)
settings.register_profile("ci", max_examples=200, deadline=None, suppress_health_check=slow_is_fine, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")
