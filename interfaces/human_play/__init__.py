"""A game that people play: the turns made, and the one being put together."""
