"""What a person and a program get at an address that has nothing for them."""

import pytest


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/games/nothing/sgf", "There is no such game on this server, or no longer."),
        ("/static/nothing", "There is no such page."),
        ("/nothing", "There is no such page."),
    ],
)
def test_a_person_who_follows_a_dead_link_gets_a_page(server, path, said):
    answer = server.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert f"<p>{said}</p>" in answer.text
    assert "content-security-policy" in answer.headers
    assert "<" not in server.get(path).text


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_an_address_that_is_asked_in_another_way_says_how(server, accept):
    answer = server.get("/api/seats/open", headers={"accept": accept})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "This address knows only POST." in answer.text
    assert ("<h1>This cannot be done</h1>" in answer.text) == (accept == "text/html")
    assert answer.headers["x-content-type-options"] == "nosniff"
    posted = server.post("/api/facts", {})
    assert posted.status_code == 405
    assert posted.json()["sentence"] == "This address knows only GET and HEAD."
