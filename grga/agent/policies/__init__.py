"""Policies of the loop, one folder each."""
