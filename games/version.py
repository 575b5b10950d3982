"""The version of oddly, which every part of it states."""

VERSION = "1.0.0"
"""As in the CHANGELOG; the distribution takes it from here, and so needs no metadata to be read."""
