"""A bot: a public player on a site for people, for which engines think.

`oddly bot abstract-play` serves the one address that Abstract Play calls. Start with
`reception.py`, which decides without input or output what to answer and what to think about;
`signatures.py` says whether a request comes from the site.

`service.py` drives the engines and runs all of it, and `site_client.py` sends their turns and tries
again when the site fails. `bot_file.py` reads BOT.toml.
"""
