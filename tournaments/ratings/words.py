"""Why a rating is not shown, in words. Nothing heavy is imported here."""

NO_GAMES = "no games"
TOO_FEW = "too few games"
WON_ALL = "won every game"
LOST_ALL = "lost every game"
