"""Games on many machines: a hall whose seats are the workers of a Dask cluster.

`address.py` says which cluster and how safely, `task.py` is what a worker does, `hall.py` sends it
there, and `opening.py` connects to a cluster or starts one on this machine.
"""
