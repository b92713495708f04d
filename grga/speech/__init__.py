"""From waveform to utterances. Knows no graph and no language model."""
