"""Games on many machines: an executor whose slots are the workers of a Dask cluster.

`address.py` says which cluster and how securely, `task.py` is the work of a worker, `executor.py`
sends it there, and `opening.py` connects to a cluster or starts one on this machine.
"""
