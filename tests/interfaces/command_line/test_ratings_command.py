"""`oddly ratings` prints ratings with error bars, or one sentence."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from oddly.games.catalogue import create_game
from oddly.games.installation import install_command
from oddly.games.turns import Colour
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.ratings import over_time
from oddly.tournaments.ratings.bradley_terry import MAX_JOINT, rate
from oddly.tournaments.ratings.ordered_pairs import collect
from oddly.tournaments.results.results_json import ratings_json
from tests.databases import changed
from tests.tournaments.ratings.make_golden import FOLDER, games
from tests.tournaments.results import outcomes
from tests.tournaments.results.outcomes import HOSTILE

WON = GameRecord(
    create_game("odd", 2),
    ("a", HOSTILE),
    ("a 1", "b 2"),
    7,
    (),
    Outcome(0, Colour.BLACK, "B+R", Termination.RESIGNATION, "", 0),
)
HEADER = "first,second,winner\n"


@pytest.fixture
def league(tmp_path):
    path = tmp_path / "league.csv"
    path.write_text(HEADER + "".join(f"{','.join(game)}\n" for game in games()), encoding="utf-8")
    return str(path)


@pytest.fixture
def rated(facts):
    return lambda *words: facts("ratings", *words)


@pytest.mark.parametrize("format_", ["simple", "github", "tsv"])
def test_the_answer_is_a_table_and_a_line(league, format_, output):
    wanted = (FOLDER / f"{format_}.txt").read_text(encoding="utf-8")
    assert output("ratings", league, "--format", format_) == wanted


def test_the_answer_is_an_object(league, rated):
    value = rated(league)
    assert [fact["name"] for fact in value["ratings"]] == ["strong", "middling", HOSTILE]
    assert sum(fact["elo"] for fact in value["ratings"]) == pytest.approx(0, abs=0.01)
    assert sum(fact["games"] * fact["score"] for fact in value["ratings"]) == pytest.approx(
        12, abs=0.01
    )
    assert set(value["first_player_advantage"]) == {"elo", "error_95", "unknown"}


def test_an_anchor_is_where_it_is_told_to_be(league, rated):
    free, held = rated(league), rated(league, "--anchor", "strong")
    anchored = rated(league, "--anchor", "strong", "--anchor-elo", "-1500.5")
    assert held["ratings"][0] | {"elo": 0.0, "error_95": 0.0} == held["ratings"][0]
    assert anchored["ratings"][0]["elo"] == -1500.5
    for one, two, three in zip(*(v["ratings"] for v in (free, held, anchored)), strict=True):
        assert one["name"] == two["name"] == three["name"]
        assert one["elo"] - free["ratings"][0]["elo"] == pytest.approx(two["elo"], abs=0.01)
        assert three["elo"] == pytest.approx(two["elo"] - 1500.5, abs=0.01)


def test_many_virtual_draws_draw_ratings_together(league, rated):
    few = rated(league, "--prior", "0.01")["ratings"]
    many = rated(league, "--prior", "1000")["ratings"]
    assert many[0]["elo"] < few[0]["elo"] / 10


NOT_ELO = "ratings: argument --anchor-elo: an Elo value is expected"
NOT_DRAWS = "ratings: argument --prior: a number of draws from 0.001 to 1000 is expected"
NOT_DRIFT = "ratings: argument --drift: an Elo value from 0.01 to 1000 is expected"
MISSING = "ratings: the following arguments are required: FILE"
BAD = [
    ("nothing.csv", "there is no file nothing.csv; did you mean 'nothings.csv'?"),
    (".", ". is a directory, not a file of results"),
    ("", f"{MISSING}; 'oddly ratings --help' explains them"),
    ("FILE --anchor Strnog", "ratings: no engine 'Strnog' has games; did you mean 'strong'?"),
    ("FILE --anchor zzz", "ratings: no engine 'zzz' has games"),
    ("FILE --anchor-elo 5", "ratings: --anchor-elo goes with --anchor"),
    ("FILE --anchor-elo x", f"{NOT_ELO}, not 'x'"),
    ("FILE --anchor-elo nan", f"{NOT_ELO}, not 'nan'"),
    ("FILE --prior 0", f"{NOT_DRAWS}, not '0'"),
    ("FILE --prior nan", f"{NOT_DRAWS}, not 'nan'"),
    ("FILE --prior inf", f"{NOT_DRAWS}, not 'inf'"),
    ("FILE --prior many", f"{NOT_DRAWS}, not 'many'"),
    ("FILE --over-time --drift nan", f"{NOT_DRIFT}, not 'nan'"),
    ("FILE --pryor 5", "ratings: unknown argument '--pryor'; did you mean '--prior'?"),
    ("FILE FILE", "ratings: unknown argument 'FILE'"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[words or "nothing" for words, _ in BAD])
def test_bad_input_is_one_sentence(words, sentence, league, monkeypatch, tmp_path, refusal):
    (tmp_path / "nothings.csv").write_text(HEADER)
    monkeypatch.chdir(tmp_path)
    said = refusal("ratings", *words.replace("FILE", "league.csv").split())
    assert said == f"oddly: {sentence}\n".replace("'FILE'", "'league.csv'")


def test_a_bad_file_is_told_with_its_line(tmp_path, refusal):
    path = tmp_path / "bad.csv"
    path.write_text(HEADER + "a,b,frist\n", encoding="utf-8")
    assert refusal("ratings", path) == (
        f"oddly: {path}:2: unknown winner 'frist': expected one of first, second, draw; "
        "did you mean 'first'?\n"
    )


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read")
def test_a_file_of_games_that_cannot_be_read_is_refused_with_the_reason(tmp_path, refusal):
    path = tmp_path / "games.sgf"
    path.symlink_to("/proc/self/mem")
    reason = "cannot be read: Input/output error"
    assert refusal("ratings", path) == f"oddly: ratings: {path} {reason}\n"


@pytest.fixture
def many(tmp_path):
    """A file of games of more engines than have a joint covariance."""
    path = tmp_path / "many.csv"
    rows = (f"{number},{number + 1},draw\n" for number in range(MAX_JOINT))
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


def test_thousands_of_engines_are_rated(many, rated):
    assert len(rated(many)["ratings"]) == MAX_JOINT + 1


def test_thousands_of_engines_need_scipy(many, refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse.linalg", None)
    assert refusal("ratings", many).startswith(
        f"oddly: {many} has {MAX_JOINT + 1} engines: rating thousands of engines needs the package "
        "scipy: "
    )


def test_a_name_that_is_no_text_is_told_like_any_other(league, refusal):
    assert "'\\udcff'" in refusal("ratings", league, "--anchor", "\udcff")


def test_it_starts_without_what_plays_games(league):
    code = (
        "import sys; from oddly.interfaces.command_line import main; "
        f"main(['ratings', {league!r}]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "first-player advantage" in done.stdout
    assert {"trio", "pydantic", "rich", "numba"} & set(done.stderr.split()) == set()


def test_a_ledger_is_rated_game_by_game_and_the_mixture_is_named(tmp_path, rated, output):
    path = tmp_path / "mixed.sqlite"
    engines = ["a", "b"]
    with Ledger(path) as ledger:
        ledger.begin({"games": ["yodd 3", "ayu 5 (pie false)"], "engines": dict.fromkeys(engines)})
        for game in outcomes.league(engines, "1211", games=2):
            scheduled, outcome = game.scheduled, game.outcome
            players = scheduled.first, scheduled.second
            record = GameRecord(scheduled.game, players, ("", ""), 0, (), outcome)
            ledger.add(scheduled.id, record)
    value = rated(str(path))
    assert list(value["games"]) == ["yodd 3", "ayu 5 (pie false)"]
    for title, rows in (("yodd 3", "12"), ("ayu 5 (pie false)", "11")):
        alone = from_rows(engines, rows)
        assert value["games"][title] == alone
    assert value["ratings"] == from_rows(engines, "1211")["ratings"]
    text = output("ratings", path)
    assert text.startswith("yodd 3\n\n")
    assert "The ratings of all games mix yodd 3 and ayu 5 (pie false)" in text


def from_rows(engines: list[str], spelled: str) -> dict:
    """The facts of ratings by games in which the engines take turns at opening."""
    rows = [
        (*(engines if index % 2 == 0 else engines[::-1]), {"1": "first", "2": "second"}[winner])
        for index, winner in enumerate(spelled)
    ]
    return ratings_json(rate(collect(rows)))


@pytest.fixture
def dated(tmp_path):
    """A ledger with games of two days, a month apart."""
    path = tmp_path / "dated.sqlite"
    lost = replace(WON, outcome=replace(WON.outcome, winner=1))
    with Ledger(path) as ledger:
        for number, record in enumerate([WON, lost, WON, WON]):
            ledger.add(str(number), record)
    changed(
        path,
        "update summaries set finished = case when id < '2' then '2026-10-20T23:59:59+00:00' "
        "else '2026-11-21T00:00:00+00:00' end, digest = number",
    )
    return str(path)


def test_ratings_over_time_as_a_table(dated, output):
    title, table, said = output("ratings", dated, "--over-time").rstrip().split("\n\n")
    assert title == "odd 2 (board hexhex, min_group 5)"
    heading, _, *rows = table.splitlines()
    wanted = "engine day from games Elo +-95 % moved +-95 %"
    assert heading.split() == wanted.split()
    assert [row.split()[:4] for row in rows[:2]] == [
        ["1", "a", "2026-10-20", "2"],
        ["1", "a", "2026-11-21", "2"],
    ]
    assert "\x1b" not in table
    advantage, drift = said.splitlines()
    assert advantage.startswith("first-player advantage: ")
    assert re.fullmatch(
        r"drift: [\d.]+ Elo a day, estimated \(with 95 %: [\d.]+ to [\d.]+\)", drift
    )


def test_the_drift_can_be_given_and_is_unknown_within_one_period(dated, output, rated):
    assert "drift: 12.5 Elo a day, as given" in output(
        "ratings", dated, "--over-time", "--drift", "12.5"
    )
    changed(dated, "update summaries set finished = '2026-10-20T23:59:59+00:00'")
    said = output("ratings", dated, "--over-time")
    assert "drift: unknown, no engine played in two periods" in said
    (found,) = rated(dated, "--over-time")["games"].values()
    assert found["drift"] == {"elo": None, "low": None, "high": None}


def test_ratings_over_time_have_the_prior_that_is_given(dated, rated):
    """The bug: the prior was ignored."""
    usual, strong = (
        next(iter(rated(dated, "--over-time", *prior)["games"].values()))["engines"][0]["ratings"]
        for prior in ((), ("--prior", "50"))
    )
    assert 0 < strong[0]["elo"] < usual[0]["elo"] / 2


def test_ratings_over_time_as_json(dated, rated):
    value = rated(dated, "--over-time", "month", "--drift", "30")
    assert value["period"] == "month"
    (found,) = value["games"].values()
    assert found["drift"] == {"elo": 30, "low": None, "high": None}
    assert [engine["name"] for engine in found["engines"]] == ["a", HOSTILE]
    ratings = found["engines"][0]["ratings"]
    assert [moment["from"] for moment in ratings] == ["2026-10-01", "2026-11-01"]
    assert [moment["games"] for moment in ratings] == [2, 2]
    assert ratings[1]["moved"] == pytest.approx(ratings[1]["elo"] - ratings[0]["elo"], abs=0.002)


def test_ratings_over_time_and_the_rulings_below_are_of_one_moment(dated, rated, monkeypatch):
    """The bug: a ruling of the moment between was cited below ratings that did not follow it."""
    read = Ledger.dated

    def dated_and_ruled(ledger):
        found = read(ledger)
        with Ledger(Path(dated), beside_run=True) as beside:
            rule(beside, "annul", ["0"], "a power cut")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "dated", dated_and_ruled)
        before = rated(dated, "--over-time", "--drift", "30")
    after = rated(dated, "--over-time", "--drift", "30")
    assert "rulings" not in before
    assert len(after["rulings"]) == 1
    assert before["games"] != after["games"]


def test_ratings_over_time_need_dates_and_nothing_else(dated, league, tmp_path, refusal):
    assert "needs to know when games were played" in refusal("ratings", league, "--over-time")
    assert "there is no ledger" in refusal("ratings", tmp_path / "missing", "--over-time")
    assert "--anchor does not go with" in refusal("ratings", dated, "--over-time", "--anchor", "a")
    assert "--drift goes with --over-time" in refusal("ratings", dated, "--drift", "3")
    assert "0.01 to 1000" in refusal("ratings", dated, "--over-time", "--drift", "0")
    assert "year" in refusal("ratings", dated, "--over-time", "year")
    changed(dated, "update summaries set finished = 'yesterday' where id = '1'")
    assert "is damaged" in refusal("ratings", dated, "--over-time")


def test_without_scipy_many_ratings_over_time_say_what_to_install(
    dated, output, monkeypatch, refusal
):
    monkeypatch.setitem(sys.modules, "scipy.sparse.linalg", None)
    assert "drift: " in output("ratings", dated, "--over-time")
    monkeypatch.setattr(over_time, "MAX_DENSE", 3)
    said = refusal("ratings", dated, "--over-time")
    needed = f"of more than 3 ratings needs the package scipy: {install_command('large')}\n"
    assert said == f"oddly: {dated}: ratings --over-time {needed}"
