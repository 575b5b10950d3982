"""The same ledgers, shown as text, JSON, HTML report, live view and web page: every number agrees.

Each showing is read back into the same plain values, and compared with the JSON, rounded as the
showing rounds.
"""

import re
from contextlib import closing
from html.parser import HTMLParser

import pytest

from oddly.interfaces.terminal.live.lines import SHORT, standings_lines
from oddly.interfaces.terminal.live.view import RunHistory
from oddly.interfaces.web import broadcast
from oddly.tournaments.formats.format import FORMATS, Event
from oddly.tournaments.ledger.archive import Archive
from oddly.tournaments.ledger.recorded_event import read_event
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.results.sequential import Question
from oddly.tournaments.run.control import Control
from tests.interfaces.made_up_events import SHAPES, fill, spelled


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys())
def ledger(request, tmp_path):
    path = tmp_path / "event.sqlite"
    fill(path, request.param)
    return path


@pytest.fixture
def standings(ledger, facts):
    """The JSON, to which everything else is compared."""
    return facts("standings", ledger)


def whole(value):
    return f"{value:z.0f}"


def test_text(standings, ledger, output):
    told = output("standings", ledger, "--format", "tsv")
    assert told.startswith(f"an event: {standings['played']}")
    tables = [
        [[cell.strip() for cell in line.split("\t")] for line in part.splitlines()]
        for part in told.split("\n\n")
        if "\t" in part
    ]
    for table in standings["tables"]:
        rated = [row["elo"] is not None or row["unknown"] for row in table["standings"]]
        shown, crosstable, behaviour = tables[:3]
        tables = tables[3:]
        expected = [
            [str(row["rank"]), row["name"],
             *([*rating_of(row, "-", whole), percent(row)] if any(rated) else []),
             str(row["games"]), str(row["distinct"]), f"{row['points']:g}",
             share(row["points"], row["games"], "-"),
             *(f"{row[f'as_{seat}']:g}/{row[f'games_as_{seat}']}" for seat in ("first", "second")),
             str(row["forfeits"])]
            for row in table["standings"]
        ]  # fmt: skip
        assert shown[1:] == expected
        names = [row["name"] for row in table["standings"]]
        drawn = any(row["draws"] for row in table["standings"])
        assert [row[1:] for row in crosstable[1:]] == [
            [name, *(score_text(table, name, other, drawn) for other in names)] for name in names
        ]
        for row in behaviour[1:]:
            known = table["statistics"][row[1]]
            mean = known["seconds_a_turn"]
            assert row[2] == ("-" if mean is None else f"{mean:.3f}")
            assert row[5] == str(known["marked"])
            faults = dict(zip(behaviour[0][6:], map(int, row[6:]), strict=True))
            assert {kind: number for kind, number in faults.items() if number} == known["faults"]
    assert [table[1:] for table in tables] == list(report_rows(standings).values())
    lines = [line for line in told.splitlines() if line.startswith("SPRT")]
    tests = [test for table in standings["tables"] for test in table.get("sprt", ())]
    assert [read_test_line(line) for line in lines] == [facts_of_test(test) for test in tests]
    values = [table["first_player_advantage"] for table in standings["tables"]]
    said = re.findall(r"first-player advantage: (\S+) \+- (\S+) Elo \(p [=<] (\S+)", told)
    assert [(float(elo), float(error)) for elo, error, _ in said] == [
        (pytest.approx(value["elo"], abs=0.051), pytest.approx(value["error_95"], abs=0.051))
        for value in values
        if value and value["elo"] is not None
    ]
    unknown = [value["unknown"] for value in values if value and value["elo"] is None]
    assert re.findall(r"first-player advantage: ([a-z ]+)$", told, re.MULTILINE) == unknown


def report_rows(facts):
    """The rows of a Swiss or a knockout as text, by the title of the game."""
    found = {}
    for title, report in facts.get("format", {}).items():
        found[title] = [
            [str(row["rank"]), row["name"], str(row["rounds"]),
             *(f"{row[key]:g}" for key in ("points", "buchholz", "sonneborn_berger")),
             str(row["byes"])]
            for row in report.get("standings", ())
        ] or [
            [encounter["round"], encounter["engines"][0],
             "{:g}-{:g}".format(*encounter["points"]), encounter["engines"][1],
             (encounter["winner"] or "") + " (by lot)" * encounter["by_lot"]]
            for encounter in report["encounters"]
        ]  # fmt: skip
    return found


def rating_of(row, dash, elo_text):
    """The two cells of a rating, which may not be known, for a reason or without games."""
    if row["elo"] is None:
        return [dash, row["unknown"] or dash]
    return [elo_text(row["elo"]), whole(row["error_95"])]


def percent(row):
    return "-" if row["los_to_next"] is None else f"{100 * row['los_to_next']:.1f} %"


def score_text(table, name, other, drawn):
    if name == other:
        return "*"
    if (score := table["crosstable"][name].get(other)) is None:
        return "-"
    return f"{score['wins']}-{score['losses']}" + (f"-{score['draws']}" if drawn else "")


DECISIONS = {"no verdict yet": "continue", "H0 is accepted": "H0", "H1 is accepted": "H1"}


def read_test_line(line):
    found = re.fullmatch(
        r"SPRT, (\S+) over (\S+): LLR (\S+) in \((\S+), (\S+)\), (.+) \(H0 (\S+), H1 (\S+) (\S+) "
        r"Elo; (\d+) pairs?: ([^;]+)"
        r"(?:; (\d+) later .*)?\)",
        line,
    )
    one, other, llr, low, high, verdict, elo0, elo1, scale, pairs, counts, later = found.groups()
    return (
        [one, other], llr, low, high, decision_of(verdict), float(elo0), float(elo1), scale,
        int(pairs), counts, int(later or 0),
    )  # fmt: skip


def decision_of(verdict):
    """The decision in the JSON, and how many openings are too few for any."""
    if few := re.fullmatch(r"(\d+) openings?: no verdict possible", verdict):
        return "continue", few[1]
    return DECISIONS[verdict], None


def decision_in(test):
    return test["decision"], f"{test['openings']:.0f}" if test["exhausted"] else None


def facts_of_test(test):
    llr, low, high = (f"{test[key]:z.2f}" for key in ("llr", "lower", "upper"))
    return (
        test["engines"], llr, low, high, decision_in(test), test["elo0"], test["elo1"],
        test["scale"], sum(test["pairs"]), counts_in(test), test["not_counted"],
    )  # fmt: skip


def counts_in(test):
    lost, half, split, three_halves, won = test["pairs"]
    if half or three_halves:
        return f"0 {lost}, 0.5 {half}, 1 {split}, 1.5 {three_halves}, 2 {won}"
    return f"{won} won, {split} split, {lost} lost"


class Tables(HTMLParser):
    """The tables of a page by their labels, as rows of cells, and the captions of its figures."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.captions, self.label, self.inside = {}, [], None, None
        self.brackets = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "div":
            self.label = attributes.get("aria-label")
        elif tag == "tr" and self.label:
            self.tables.setdefault(self.label, []).append([])
        elif tag in ("td", "th", "pre", "figcaption"):
            kinds = {"pre": self.brackets, "figcaption": self.captions}
            cells = self.tables[self.label][-1] if self.label and tag not in kinds else None
            self.inside = kinds.get(tag, cells)
            if self.inside is not None:
                self.inside.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th", "pre", "figcaption"):
            self.inside = None

    def handle_data(self, data):
        if self.inside is not None:
            self.inside[-1] += data if self.inside is self.brackets else data.strip()


def test_html_report(standings, ledger, output):
    read = Tables(output("report", ledger, "--games", 0, "--output", "-"))
    for table in standings["tables"]:
        names = [row["name"] for row in table["standings"]]
        drawn = any(row["draws"] for row in table["standings"])
        shown = read.tables[f"Standings of {table['title']}"][1:]
        likelihoods = [row.pop(-2) for row in shown]
        for likelihood, row in zip(likelihoods, table["standings"], strict=True):
            los = row["los_to_next"]
            # The JSON is rounded already.
            assert likelihood == "" if los is None else close(likelihood, los)
        assert shown == [
            [str(row["rank"]), row["name"], *rating_of(row, "–", signed), str(row["games"]),
             str(row["distinct"]), f"{row['points']:g}", share(row["points"], row["games"]),
             "–".join(map(str, (row["wins"], *([row["draws"]] * drawn), row["losses"]))),
             *(share(row[f"as_{seat}"], row[f"games_as_{seat}"]) for seat in ("first", "second")),
             str(row["forfeits"])]
            for row in table["standings"]
        ]  # fmt: skip
        crosstable = read.tables[f"Crosstable of {table['title']}"][1:]
        assert [row[1] for row in crosstable] == names
        for name, row in zip(names, crosstable, strict=True):
            for other, cell in zip(names, row[2:], strict=True):
                score = table["crosstable"][name].get(other)
                parts = score and [score["wins"], *[score["draws"]] * bool(score["draws"])]
                assert cell == ("–".join(map(str, [*parts, score["losses"]])) if score else "")
        for test in table.get("sprt", ()):
            assert verdict_of(test) in " ".join(read.captions)
    for title, report in standings.get("format", {}).items():
        if "standings" in report:
            assert read.tables[f"Swiss standings of {title}"][1:] == report_rows(standings)[title]
        else:
            assert set(names_in(report)) <= set(re.findall(r"\b[a-e]\b", read.brackets.pop(0)))
    behaviour = {row[0]: row for row in read.tables["Times and faults of the engines"][1:]}
    for name, known in (standings["tables"] or [{}])[-1].get("statistics", {}).items():
        _, _, mean, slowest, lag, faults = behaviour[name]
        assert mean == (
            "–" if known["seconds_a_turn"] is None else f"{known['seconds_a_turn']:.3f}"
        )
        assert (slowest, lag) == (f"{known['slowest']:.3f}", f"{known['lag']:.3f}")
        in_words = ", ".join(f"{number} × {kind}" for kind, number in known["faults"].items())
        assert faults == (in_words or "none")


def names_in(report):
    """The engines of a bracket or a Swiss table."""
    rows = [row["name"] for row in report.get("standings", ())]
    return rows or [name for encounter in report["encounters"] for name in encounter["engines"]]


def close(percentage, share):
    return abs(float(percentage.removesuffix(" %")) - 100 * share) <= 0.55


def signed(elo):
    return f"{round(elo):+d}".replace("-", "−") if round(elo) else "0"


def share(points, games, none="–"):
    return f"{100 * points / games:.0f} %" if games else none


def verdict_of(test):
    pairs, later = sum(test["pairs"]), test["not_counted"]
    said = "No verdict" if test["decision"] == "continue" else f"{test['decision']} is accepted"
    if test["exhausted"]:
        number = round(test["openings"])
        said = f"{number} opening{'' if number == 1 else 's'}: no verdict possible"
    said += f" with LLR {test['llr']:z.2f} after {pairs} pair{'' if pairs == 1 else 's'}."
    return said + (f" {later} later pair" if later else "")


def test_live_view(standings, ledger):
    with Ledger(ledger, read_only=True) as opened:
        event = read_event(opened, with_games=True)
    settings = {"by_elo": FORMATS[event.format].ranks_by_elo, "question": event.question(),
                "reports": event.plan().reports if event.plan() else dict}  # fmt: skip
    run = (event.name, event.games, event.engines, Control(1), 0.0, event.played)
    history = RunHistory(*run, **settings)
    for scheduled in event.unfinished:
        history.began(scheduled, 1.0)
    assert history.snapshot(2.0).played == standings["played"]
    single = [table for table in standings["tables"] if table["title"] != "all games"]
    seen = set()
    for _ in single:
        results = history.snapshot(2.0).results
        (table,) = [table for table in single if table["title"] == results.title]
        seen.add(results.title)
        heading, *lines = [line.plain for line in standings_lines(results, 120, 60)]
        tests = [line for line in lines if "SPRT" in line]
        rows = lines[: len(lines) - len(tests)]
        counted = f": {table['distinct']} of {table['games']} distinct "
        assert counted in heading
        assert [line.split() for line in rows] == [
            [
                str(row["rank"]), row["name"],
                *" ".join(SHORT.get(cell, cell) for cell in rating_of(row, "-", whole)).split(),
                str(row["games"]), f"{row['points']:g}", *[str(row["forfeits"])][: row["forfeits"]],
            ]
            for row in table["standings"]
        ]  # fmt: skip
        for line, test in zip(tests, table.get("sprt", ()), strict=True):
            assert f"LLR {test['llr']:z.2f} in ({test['lower']:.2f}, {test['upper']:.2f})" in line
            assert f"after {sum(test['pairs'])} pair" in line
            verdict = re.search(r"(\d+ openings?: )?[^:]+$", line)
            assert decision_of(verdict[0].strip()) == decision_in(test)
            assert (f"{test['not_counted']} not counted" in line) == bool(test["not_counted"])
        if report := standings.get("format", {}).get(results.title):
            history.reporting = True
            lines = history.snapshot(2.0).report
            assert all(any(name in line for line in lines) for name in names_in(report))
            history.reporting = False
            assert bool(history.snapshot(2.0).report) == ("encounters" in report)
        history.next_game()
    assert seen == {table["title"] for table in single}


def test_web_page(standings, ledger):
    with closing(Archive(ledger)) as archive:
        view = broadcast._ledger_view(ledger, archive)
    assert (view["played"], view["games"]) == (standings["played"], standings["games"])
    for shown, table in zip(view["tables"], standings["tables"], strict=True):
        assert shown["title"] == table["title"]
        assert (shown["games"], shown["distinct"]) == (table["games"], table["distinct"])
        assert shown["standings"] == table["standings"]
        assert [read_test_line(line) for line in shown["tests"]] == [
            facts_of_test(test) for test in table.get("sprt", ())
        ]
    for report in view["reports"]:
        if "rows" in report:
            assert list(map(list, report["rows"])) == report_rows(standings)[report["title"]]
        else:
            known = standings["format"][report["title"]]
            assert all(name in "".join(report["bracket"]) for name in names_in(known))
    assert {report["title"] for report in view["reports"]} == standings.get("format", {}).keys()


def test_forty_won_pairs_before_forty_lost_ones_are_h1_everywhere(tmp_path, facts, output):
    path = tmp_path / "event.sqlite"
    fill(path, SHAPES["won pairs, then lost ones"])
    found = facts("standings", path, "--sprt", "0,50")
    (test,) = found["tables"][0]["sprt"]
    assert (test["decision"], sum(test["pairs"]), test["not_counted"]) == ("H1", 23, 57)
    told = output("standings", path).replace("\n  ", " ")
    assert "57 later pairs are not counted" in told
    report = output("report", path, "--games", 0, "--output", "-")
    assert "H1 is accepted with LLR 3.07 after 23 pairs. 57 later pairs are not counted." in report


def test_a_test_is_told_as_the_format_decides_it(tmp_path):
    """The plan that plays an SPRT and the tables that show it stop at the same pair."""
    shape = SHAPES["sprt"]
    path = tmp_path / "event.sqlite"
    fill(path, shape)
    event = Event("an event", 1, shape.games, shape.engines)
    plan = FORMATS["sprt"](**shape.settings).plan(event)
    outcomes = {scheduled.id: outcome for scheduled, outcome in spelled(event, shape.results)}
    while (scheduled := plan.next()) is not None:
        plan.learn(PlayedGame(scheduled, outcomes[scheduled.id]))
    (decided,) = plan.facts().values()
    with Ledger(path, read_only=True) as ledger:
        event = read_event(ledger)
    assert isinstance(event.question(), Question)
    (test,) = event.summaries()[0].tests
    assert decided["llr"] == test.state.llr
    assert decided["decision"] == test.state.decision == "H1"
    assert decided["counts"] == list(test.counts.counts)
    assert plan.question == event.question()


@pytest.mark.sampled
def test_ratings_of_a_ledger_and_of_its_exported_games_are_those_of_its_standings(
    standings, facts, output, ledger, tmp_path
):
    single = [table for table in standings["tables"] if table["title"] != "all games"]
    if len(single) != 1:
        return
    (table,) = single
    exported = tmp_path / "games.csv"
    exported.write_text(output("export", ledger), encoding="utf-8")
    keys = ("elo", "error_95", "unknown", "games", "distinct")
    own = {row["name"]: [row[key] for key in keys] for row in table["standings"]}
    for file in (ledger, exported):
        told = facts("ratings", file)
        assert told["first_player_advantage"] == {
            key: value for key, value in table["first_player_advantage"].items() if key != "p_value"
        }
        assert (told["fit"], told["groups"]) == (table["fit"], table["groups"])
        for row in told["ratings"]:
            assert [row[key] for key in keys] == own[row["name"]]
