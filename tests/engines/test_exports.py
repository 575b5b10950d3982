"""What `import engines` offers: the names that semantic versioning promises, cheap to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import engines


def test_every_promised_name_is_there():
    assert sorted(engines._HOMES) == sorted(engines.__all__)
    for name in engines.__all__:
        assert getattr(engines, name) is not None


def test_any_other_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        engines.Motor  # noqa: B018


def test_an_engine_imports_no_arrays_and_no_machine_code():
    program = "import sys; from engines import Engine, run, create_engine; print(*sys.modules)"
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"numpy", "numba", "trio"} & set(done.stdout.split())
