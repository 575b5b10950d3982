"""What users write as TOML: reading it, what may stand in it, and what is wrong with it."""
