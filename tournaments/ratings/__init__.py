"""Ratings with error bars, and sequential tests, from the results of games.

This is statistics: numbers in, numbers out. Nothing here knows about tournaments, engines or files.
Start with `ordered_pairs.py`, the counts that ratings depend on, then `bradley_terry.py`. Error
bars are computed in `bradley_terry.py` (`Ratings.errors_95`). `posterior.py` has the prior, the
peak and where the bars end if they are skewed; `fit.py` what makes them wider, and `clusters.py`
one such cause: openings that repeat. `playing_first.py` tests whether playing first matters, and
`advantage.py` says how far beyond the truth that advantage is expected to be. `sprt.py` has the
sequential tests, `pair_likelihoods.py` their likelihoods, and `elo.py` the scales. For thousands of
engines, `large.py` computes ratings with the sparse matrices of `sparse.py`, and `live.py` keeps
them up to date.

`over_time.py` has ratings that may move, and estimates how much they do; `random_walk.py` is the
model, and `sparse_walk.py` fits many ratings.
"""
