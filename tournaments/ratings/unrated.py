"""Why an engine has no rating, in words."""

NO_GAMES = "no games"
TOO_FEW = "too few games"
SAME_SEAT = "always the same seat"
FEW_OPENINGS = "too few openings"
WON_ALL = "won every game"
LOST_ALL = "lost every game"
