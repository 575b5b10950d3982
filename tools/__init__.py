"""What only we use: vectors, the grammar as ABNF and diagrams, replayed sessions."""
