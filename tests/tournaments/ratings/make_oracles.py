"""What statsmodels and choix say of a few leagues, written into oracles.json.

To make it again: `python -m tests.tournaments.ratings.make_oracles`. Both packages bring
scipy with them, and statsmodels pandas, which is a lot for numbers that do not change; so the tests
read the file, and only this needs the packages.

statsmodels has the model with an advantage, as a logistic regression without a prior. choix has no
advantage and applies where that is nothing: in leagues in which each game was played once more with
seats exchanged and the same winner.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from oddly.tournaments.ratings.elo import ELO_PER_NAT
from tests.tournaments.ratings.simulated import expected

FILE = Path(__file__).with_name("oracles.json")


def league(seed: int, engines: int, games: int, advantage: float) -> list[list[int]]:
    """Games as [first, second, whether the first won]."""
    rng = np.random.default_rng(seed)
    elo = rng.normal(0, 150, engines)
    made = []
    for _ in range(games):
        one, other = (int(n) for n in rng.choice(engines, 2, replace=False))
        made.append([one, other, int(rng.random() < expected(elo[one] - elo[other] + advantage))])
    return made


def by_statsmodels(games: list[list[int]]) -> dict[str, object]:
    """Ratings around their mean and the advantage, with standard errors, all in Elo."""
    import statsmodels.api as sm

    engines = 1 + max(max(game[:2]) for game in games)
    design = np.zeros((len(games), engines))
    for row, (one, other, _) in enumerate(games):
        design[row, one], design[row, other] = 1, -1
    # The last engine is where the others are measured from; its column becomes the advantage's.
    design[:, -1] = 1
    fit = sm.Logit([won for *_, won in games], design).fit(disp=0, tol=1e-12)
    shift = np.eye(engines)[:, :-1] - 1 / engines
    elo = shift @ fit.params[:-1]
    errors = np.sqrt(np.diag(shift @ fit.cov_params()[:-1, :-1] @ shift.T))
    return {
        "elo": (ELO_PER_NAT * elo).tolist(),
        "standard_errors": (ELO_PER_NAT * errors).tolist(),
        "advantage": float(ELO_PER_NAT * fit.params[-1]),
        "advantage_standard_error": float(ELO_PER_NAT * fit.bse[-1]),
        "log_likelihood": float(fit.llf),
        "log_likelihood_without": float(
            sm.Logit([won for *_, won in games], design[:, :-1]).fit(disp=0, tol=1e-12).llf
        ),
    }


def by_choix(games: list[list[int]]) -> dict[str, object]:
    """Ratings around their mean, in Elo."""
    import choix

    engines = 1 + max(max(game[:2]) for game in games)
    wins = [(one, other) if won else (other, one) for one, other, won in games]
    elo = choix.opt_pairwise(engines, wins, tol=1e-12)
    return {"elo": (ELO_PER_NAT * (elo - elo.mean())).tolist()}


def main() -> None:
    """Ask both and write the file."""
    found = []
    for seed, engines, games, advantage in ((1, 4, 200, 0), (2, 6, 600, 60), (3, 12, 3000, 150)):
        made = league(seed, engines, games, advantage)
        found.append({"games": made, "by": "statsmodels", **by_statsmodels(made)})
    for seed, engines, games in ((4, 4, 100), (5, 8, 500)):
        made = league(seed, engines, games, 0)
        made += [[other, one, 1 - won] for one, other, won in made]
        found.append({"games": made, "by": "choix", **by_choix(made)})
    versions = {name: version(name) for name in ("statsmodels", "choix")}
    text = json.dumps({"versions": versions, "leagues": found}, separators=(",", ":"))
    FILE.write_text(text.replace('{"games"', '\n{"games"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
