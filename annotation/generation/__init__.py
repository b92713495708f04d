"""Questions about a meeting: made offline from what is measured, or by a model; checked before people see them."""
