"""For all tests: properties have no deadline, since a machine may be busy."""

from hypothesis import settings

settings.register_profile("poise", deadline=None)
settings.load_profile("poise")
