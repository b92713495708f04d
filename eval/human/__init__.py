"""Blind human evaluation: people rate answers of several systems without knowing whose they are."""
