"""Games on many machines: an executor whose slots are the workers of a Dask cluster.

A game may reach two workers when one of them seems dead; the first result counts. `address.py` says
which cluster and how securely. `executor.py` connects to it, or starts one on this machine, and
sends games there: start with it. `own_session.py` is loaded by workers that we start ourselves.
"""
