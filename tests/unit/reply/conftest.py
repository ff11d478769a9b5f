"""Property tests run 200 examples each; HYPOTHESIS_PROFILE=full runs 10,000."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# The same examples at every run where a failure would stop a landing; new ones wherever somebody watches.
settings.register_profile("usual", max_examples=200, derandomize=bool(os.environ.get("CI")), **_common)
settings.register_profile("full", max_examples=10_000, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))
