"""What holds for every test: nobody is told of it, and a busy machine makes none of them fail.

``--hypothesis-profile=long --timeout=0`` looks at thirty times as many cases.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from memd.providers.embedding import runtime

runtime.keep_quiet()
settings.register_profile("memd", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("memd"), max_examples=3000)
settings.load_profile("memd")
