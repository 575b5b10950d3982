"""A game that people click or type, shared by the page and the terminal."""
