"""Tables and figures, shaped like the paper's, with the paper's own numbers apart and labelled."""
