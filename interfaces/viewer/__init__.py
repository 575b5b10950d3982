"""What shows games in a browser, shared by the page, the arena and the report.

The scripts know no rules: `viewer.py` gives them a finished game as plain values, every position
included. It also gives the scripts to a server as modules, and to a page without a server as one
script. Start with `static/viewer.js`.

For pages drawn on the server, `viewer.py` also fills the templates of all three, and draws boards
without a script. `archive_search.py` reads a search in an archive from its address, and numbers its
results' pages.
"""
