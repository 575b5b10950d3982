"""How many engines with one fault each `oddly check` and the conformance vectors find."""
