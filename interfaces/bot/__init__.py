"""A bot: a public player on a site for people, for which engines think.

`oddly bot abstract-play` serves the one address that Abstract Play calls. What to answer and what
to think about is decided without input or output (`reception.py`, `signatures.py`, `webhooks.py`,
`retrying.py`); `application.py` is the HTTP side of it, `thinker.py` drives the engines and
`site_client.py` sends their turns. `service.py` runs all of it.
"""
