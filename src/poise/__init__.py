"""Poise edits captured motion so that it does what you ask and still obeys body and ground."""

__version__ = "0.1.0"
