"""The scripts and the style that show a game in a browser, on the page and in the report.

The scripts know no rules: `viewer.py` gives them a finished game as plain values, every position
included. It also gives the scripts to a server as modules, and to a page without a server as one
script. Start with `static/viewer.js`.
"""
