"""The offline policy: deterministic rules, indices and extraction; needs no model server."""
