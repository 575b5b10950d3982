"""An engine that never stops writing to standard error, in a run that keeps logs."""

import json

import pytest

from oddly.interfaces.command_line import main
from tests.programs import PYTHON
from tests.source import ROOT

NOISY = """
import runpy, sys, threading, time

def chatter():
    while True:
        print("thinking", file=sys.stderr, flush=True)
        time.sleep(0.002)

threading.Thread(target=chatter, daemon=True).start()
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""
SLOW = """
import time
from oddly.engines import create_engine, run

engine = create_engine("random")
engine.game_over = lambda score, reason: time.sleep(0.5)
run(engine)
"""
"""It takes its time to hear how the game ended, while its opponent writes on."""


@pytest.mark.sampled
def test_it_loses_its_games_and_ends_no_run(tmp_path, capsys):
    """Its log was once closed while its standard error still flowed into it."""
    program = tmp_path / "noisy.py"
    program.write_text(NOISY)
    fake = ROOT / "tests" / "fakes" / "engine.py"
    noisy = f"{PYTHON} {program} {fake} --fault hang --at 1"
    (tmp_path / "slow.py").write_text(SLOW)
    slow = f"{PYTHON} {tmp_path / 'slow.py'}"
    words = ["match", noisy, slow, "--game", "odd", "--size", "2", "--games", "4"]
    words += ["--time", "0.3", "--log-dir", str(tmp_path / "logs"), "--concurrency", "2", "--json"]
    assert main(words) == 1, capsys.readouterr().err
    facts = json.loads(capsys.readouterr().out)
    assert facts["played"] == 4
    assert len(list((tmp_path / "logs").glob("*.log"))) == 4
