"""A bot: a public player on a site for people, played by engines.

`oddly bot abstract-play` serves the one address that Abstract Play calls. Start with `outbox.py`,
which knows how far each turn has come and decides, without input or output, what to think about and
what to send. `reception.py` answers the site's messages, `signatures.py` checks that they are its
own, `site_view.py` reads them, and `admission.py` decides about challenges.

`service.py` runs all of it: `thinker.py` drives the engines, `site_client.py` sends and registers
the bot, `sweep.py` asks the site for games, and `outbox_file.py` keeps the outbox and shows its
games. `bot_file.py` reads BOT.toml.
"""
