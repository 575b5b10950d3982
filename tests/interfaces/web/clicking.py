"""What people do on the page, by clicks in a browser that Playwright drives."""

from playwright.sync_api import expect


def start(page, server, game, size, second="random", **settings):
    page.goto(f"{server.origin}/#play")
    page.select_option("select[name=game]", game)
    for name, value in {"size": size, **settings}.items():
        page.fill(f"input[name={name}]", str(value))
    page.select_option("select[name=second]", second)
    page.click("button[type=submit]")
    expect(page.locator("svg.board")).to_be_visible()


BOXES = """(all) => all.filter((each) => each.checkVisibility()).map((each) => {
  const { left, top, right, width, height } = each.getBoundingClientRect();
  return { what: each.textContent, left, top, right, width, height };
})"""


def boxes(page, selector):
    """Where all are that can be seen, asked for at once."""
    return page.locator(selector).evaluate_all(BOXES)


def vertex(page, name):
    return page.locator(f"[data-vertex={name}]")


def vertices(page, click):
    """The vertices on which a click does this, at this moment."""
    found = page.locator(f"svg.board [data-click={click}]")
    return found.evaluate_all("(all) => all.map((each) => each.dataset.vertex)")


def drop(page, name):
    vertex(page, name).click()
    expect(vertex(page, name).locator(".tentative")).to_be_visible()


def choose(page, colour):
    """Choose the colour of the next stone."""
    page.click(f"[data-colour={colour}]")
    expect(page.locator(f"[data-colour={colour}]")).to_have_attribute("aria-pressed", "true")


def turns(page):
    return page.locator(".turns li").all_text_contents()


def do(page, action):
    page.click(f"[data-do={action}]")


def can(page, action):
    button = page.locator(f"[data-do={action}]")
    return button.is_visible() and button.is_enabled()


def my_turn(page):
    """Wait until it is the human's turn, or the game is over; whether it goes on."""
    ready = page.locator("#counts.over, svg.board:not(.waiting)")
    expect(ready.first).to_be_visible()
    return page.locator("#counts.over").count() == 0


def after_one_more(page, before):
    """Wait until the human's turn is in the list."""
    expect(page.locator(".turns li").nth(len(before))).to_be_attached()


def flip(page, name):
    """Give a stone of this turn the other colour."""
    stone = vertex(page, name).locator(".piece")
    other = {"black": "white", "white": "black"}[stone.get_attribute("class").split()[1]]
    choose(page, other)
    vertex(page, name).click()
    expect(vertex(page, name).locator(f".piece.{other}")).to_be_visible()
