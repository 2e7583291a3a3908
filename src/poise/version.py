"""The version of Poise, where everybody can ask for it."""

__version__ = "0.1.0"
