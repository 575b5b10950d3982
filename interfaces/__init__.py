"""How people and programs come in: the command line, the page, the terminal, GoGui, reports."""
