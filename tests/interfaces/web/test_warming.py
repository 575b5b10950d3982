"""Compiling ahead: one game after the other, and what the page says meanwhile."""

from __future__ import annotations

import trio

from oddly.interfaces.web.installed_engines import WarmingUp


async def test_each_game_is_named_while_it_is_compiled_for(monkeypatch):
    seen = []
    warming = WarmingUp(["yodd", "ayu"])

    async def run_process(command, **settings):
        assert settings["check"] is False
        seen.append((warming.now, command[-4:]))

    monkeypatch.setattr(trio, "run_process", run_process)
    await warming.run()
    assert seen == [
        ("Yodd", ("--engine", "rave", "--game", "yodd")),
        ("Ayu", ("--engine", "rave", "--game", "ayu")),
    ]
    assert warming.now == ""
