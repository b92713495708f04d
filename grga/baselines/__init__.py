"""Baselines: the same question, the same answer type, less machinery."""
