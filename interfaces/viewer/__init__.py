"""The scripts and the style that show a game in a browser, on the page and in the report."""
