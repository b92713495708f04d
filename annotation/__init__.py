"""Making and verifying LongAudioQA: a model proposes, people verify."""
