"""Utterances as a graph: five relations, walked in both directions."""
