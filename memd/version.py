"""The version of memd and memctl, in one place: the build and both programs read it here."""

__version__ = "0.1.0"
