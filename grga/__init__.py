"""Understand long meetings by ear: audio -> utterance graph -> cited answers."""

__version__ = "0.1.0"
