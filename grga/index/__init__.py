"""Two indices over utterances and their combination."""
