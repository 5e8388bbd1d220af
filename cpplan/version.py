"""The version of cpplan, by itself so that every stage may ask for it."""

__version__ = "0.1.0"
