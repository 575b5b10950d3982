"""A conformance check of one engine, step by step, against docs/reference/protocol.md."""
