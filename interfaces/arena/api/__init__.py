"""What an arena tells programs: `/api/v1` in JSON, and the OpenAPI document that describes it.

`answers.py` declares each answer once: it is what handlers return, and of it the schema is made.
`handlers.py` has the handlers, and `openapi.py` the document, which lists all routes of the site.
"""
