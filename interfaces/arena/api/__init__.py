"""What an arena tells programs: `/api/v1` in JSON, and the OpenAPI document that describes it.

`answers.py` declares each answer once: handlers return it, and the schema is made from it.
`handlers.py` has the handlers, and `openapi.py` the document, which lists all routes of the site.
Start with `handlers.py`.
"""
