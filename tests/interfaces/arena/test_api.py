"""`/api/v1` against its own OpenAPI document: all routes are there, and all answers are valid."""

import re
from urllib.parse import quote

import jsonschema
import pytest
import trio

from benchmarks.standing import POOLS, standing
from oddly.arena.effects import Ruled
from oddly.arena.visits import CONTROL, challenge, play_for_visitor
from oddly.arena.wire.messages import RESIGN
from oddly.interfaces.arena.pages.answers import FRESH
from oddly.interfaces.arena.pages.reading import NOT_READ_YET, Archives
from oddly.interfaces.arena.pages.site import TRY_AGAIN
from oddly.tournaments import LedgerError

API = "/api/v1"


@pytest.fixture
async def stand(tmp_path):
    async with standing(tmp_path) as found:
        yield found


async def document_of(stand):
    return (await stand.client.get(f"{API}/openapi.json")).json()


def schema_of(document, path, status):
    """The schema of an answer, with the others to which it refers."""
    answer = document["paths"][path]["get"]["responses"][str(status)]
    schema = answer["content"]["application/json"].get("schema", {})
    return {**schema, "components": document["components"]}


def check(document, path, answer):
    schema = schema_of(document, path, answer.status_code)
    jsonschema.Draft202012Validator(schema).validate(answer.json())


async def addresses_of(stand, path):
    """A way to fill in the names of a path that leads to something."""
    listed = (await stand.client.get(f"{API}/games")).json()["games"]
    known = {"pool": POOLS[0], "slug": "ann", "id": listed[0]["id"]}
    both = known, {**known, "id": stand.running.id}
    return [path.format_map({name: quote(value) for name, value in each.items()}) for each in both]


def json_paths(document):
    return [path for path in document["paths"] if path.startswith(API)]


async def test_the_document_lists_all_routes_of_the_site_and_no_others(stand):
    document = await document_of(stand)
    assert {route.path for route in stand.app.routes} == set(document["paths"])
    assert document["openapi"].startswith("3.1")
    identities = [each["operationId"] for path in document["paths"].values()
                  for each in path.values()]  # fmt: skip
    assert len(identities) == len(set(identities))


async def test_the_document_is_sound(stand):
    document = await document_of(stand)
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"], name
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert named == set(document["components"]["schemas"])
    for path, item in document["paths"].items():
        for operation in item.values():
            parameters = operation.get("parameters", ())
            inside = [each["name"] for each in parameters if each["in"] == "path"]
            assert inside == re.findall(r"{(\w+)}", path)
            assert all(each["description"] for each in parameters)


async def test_every_answer_is_what_the_document_says(stand):
    document = await document_of(stand)
    for path in json_paths(document):
        for address in await addresses_of(stand, path):
            answer = await stand.client.get(address)
            assert answer.status_code == 200, address
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["access-control-allow-origin"] == "*"
            check(document, path, answer)


async def test_what_is_not_there_and_what_is_wrong_is_one_sentence(stand):
    document = await document_of(stand)
    for path in json_paths(document)[:-1]:
        address = (await addresses_of(stand, path))[0]
        answer = await stand.client.get(f"{address}?pge=1")
        assert answer.status_code == 400, address
        check(document, path, answer)
        assert "There is no parameter 'pge': expected " in answer.json()["error"]
        if "{" in path:
            answer = await stand.client.get(re.sub(r"{\w+}", "none", path))
            assert answer.status_code == 404, address
            check(document, path, answer)
            assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_page_that_is_not_there_is_refused(stand):
    for path in (f"/pools/{POOLS[0]}/ladder", "/engines", "/games"):
        answer = await stand.client.get(f"{API}{path}?page=9")
        assert answer.status_code == 400
        assert "page" in answer.json()["error"]


async def test_a_former_address_of_an_engine_leads_to_the_present_one(stand):
    registry = stand.arena.registry
    for old, new in (("ann", "one 1"), ("one 1", "two 2")):
        registry.rename(registry.engine(old), new)
    rest = f"ratings/{POOLS[0]}"
    for route, methods in (await document_of(stand))["paths"].items():
        (described,) = {"308" in method["responses"] for method in methods.values()}
        assert described == ("{slug}" in route)
    for path, to in {
        "/engines/ann?page=1&x=%2F": "two-2?page=1&x=%2F",
        "/engines/one-1": "two-2",
        "/engines/ONE_1": "two-2",
        f"/badges/ann/{POOLS[0]}.svg": f"../two-2/{POOLS[0]}.svg",
        f"{API}/engines/ann": "two-2",
        f"{API}/engines/ann/{rest}": f"../../two-2/{rest}",
    }.items():
        answer = await stand.client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (308, to)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert (await stand.client.get(path, follow_redirects=True)).status_code == 200, path
    asked = await stand.client.post("/engines/ann/challenge", data={"pool": POOLS[0]})
    assert (asked.status_code, asked.headers["location"]) == (308, "../two-2/challenge")
    for path in ("/engines/an", f"{API}/engines/an"):
        assert (await stand.client.get(path)).status_code == 404


async def test_who_asks_before_the_games_are_read_is_told_when_to_ask_again(stand, monkeypatch):
    def search(*_):
        raise LedgerError(NOT_READ_YET)

    monkeypatch.setattr(Archives, "search", search)
    document = await document_of(stand)
    answer, page = [await stand.client.get(path) for path in (f"{API}/games", "/archive")]
    check(document, f"{API}/games", answer)
    assert NOT_READ_YET in answer.json()["error"]
    assert NOT_READ_YET in page.text
    for each in (answer, page):
        assert (each.status_code, each.headers["retry-after"]) == (503, TRY_AGAIN)


async def test_answers_agree_with_the_arena(stand):
    async def said(path):
        return (await stand.client.get(API + path)).json()

    arena = stand.arena
    assert (await said(""))["running"] == 1
    ladder = (await said(f"/pools/{POOLS[0]}/ladder"))["engines"]
    ratings = arena.pools[POOLS[0]].ratings()
    assert [row["name"] for row in ladder] == [name for name in ratings if ratings[name].games]
    assert all(row["won"] + row["drawn"] + row["lost"] == row["games"] for row in ladder)
    games = (await said("/games?engine=ann"))["games"]
    assert games
    for each in games:
        game = await said(f"/games/{each['id']}")
        assert game["players"] == each["players"]
        assert len(game["turns"]) == each["turns"]
        assert game["outcome"]["score"] == each["score"]
        assert game["clocks"] is None
    live = await said(f"/games/{stand.running.id}")
    assert live["outcome"] is None
    assert live["turns"][0]["evaluation"] == {
        "win_rate": 0.75, "depth": 3, "visits": 100, "lead": 1.5,
    }  # fmt: skip
    assert (await said("/running"))["games"][0]["id"] == stand.running.id
    engine = await said("/engines/ann")
    assert engine["game"] == stand.running.id
    for part in engine["pools"]:
        scores = [met[colour] for met in part["opponents"] for colour in ("as_black", "as_white")]
        assert sum(sum(score.values()) for score in scores) == part["games"]
    (ruling,) = (await said("/rulings"))["rulings"]
    assert (ruling["kind"], ruling["name"], ruling["reason"]) == ("retire", "cat", "it hangs")


async def test_only_an_engine_with_a_settled_rating_leads(stand):
    async def said(path):
        return (await stand.client.get(API + path)).json()

    pool = stand.arena.pools[POOLS[0]]
    for games, one, other in ((200, "ann", "bob"), (2, "ann", "cat")):
        pool.count(one, other, None, games)
        pool.count(other, one, None, games)
    pool.count("cat", "ann", 0, 2)
    pool.count("ann", "cat", 1, 2)
    settled, new = [await said(f"/pools/{name}") for name in POOLS]
    ladder = (await said(f"/pools/{POOLS[0]}/ladder"))["engines"]
    assert (ladder[0]["name"], ladder[0]["is_provisional"]) == ("cat", True)
    assert settled["leader"]["name"] == pool.leader() == ladder[1]["name"]
    assert (new["engines"], new["leader"]) == (3, None)
    page = (await stand.client.get(f"/pools/{POOLS[0]}")).text
    assert f"{pool.leader()} leads with" in page
    assert "leads with" not in (await stand.client.get(f"/pools/{POOLS[1]}")).text


async def test_a_game_has_its_own_time_control(stand):
    stand.join("cat", takes_challenges=True)
    visit = challenge(stand.arena, "cat", POOLS[0], stand.now(), opens=True)
    for _ in range(2):
        answer = (await stand.client.get(f"{API}/games/{visit.id}")).json()
        assert answer["time"] == str(CONTROL)
        stand.arena.play.set_up("cat", visit.id, stand.now())
        play_for_visitor(stand.arena, visit, RESIGN, stand.now())
        await stand.write()
        await trio.sleep(FRESH)
    assert answer["clocks"] is None


async def test_an_annulled_game_says_so(stand):
    listed = (await stand.client.get(f"{API}/games")).json()["games"]
    ids = {kind: each["id"] for kind, each in zip(("annul", "restore"), listed, strict=False)}
    for kind, name in (("annul", ids["restore"]), *ids.items()):
        stand.arena.write(Ruled(kind, "game", name, "", "the <board> was wet"))
    await stand.write()
    annulled, restored = [
        (await stand.client.get(f"{API}/games/{name}")).json()["outcome"] for name in ids.values()
    ]
    assert (annulled["is_void"], annulled["annulled"]) == (True, "the <board> was wet")
    assert (restored["is_void"], restored["annulled"]) == (False, None)
    annulled, restored = [
        (await stand.client.get(f"/games/{name}?turn=1")).text for name in ids.values()
    ]
    assert "Annulled by the keeper: the &lt;board&gt; was wet" in annulled
    assert "Annulled" not in restored


async def test_nothing_tells_a_secret(stand):
    document = await document_of(stand)
    for path in json_paths(document):
        for address in await addresses_of(stand, path):
            text = (await stand.client.get(address)).text
            assert "secret word" not in text
            assert "key of ann" not in text
