"""A bot: a public player on a site for people, played by engines.

`oddly bot abstract-play` serves the one address that Abstract Play calls. Start with `outbox.py`,
which knows how far each turn has come and decides, without input or output, what to think about and
what to send. `reception.py` answers the site's messages, and asks the site for games.
`admission.py` checks that messages are the site's own, and decides about challenges. `site_view.py`
reads what the site says.

`service.py` runs all of it: `thinker.py` drives the engines, `site_client.py` sends and registers
the bot, and `outbox_file.py` keeps the outbox and shows its games. `bot_file.py` reads BOT.toml.
"""
