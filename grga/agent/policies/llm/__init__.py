"""The LLM policy: the four decisions of the loop as typed calls of a model."""
