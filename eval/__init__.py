"""Measuring: answers are stored, then scored; people rate them blind."""
