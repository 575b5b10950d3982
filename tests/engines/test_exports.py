"""What `import engines` offers: the names that semantic versioning promises, cheap to import."""

import subprocess
import sys

import pytest

from oddly import engines


def test_every_promised_name_is_there():
    assert sorted(dir(engines)) == sorted(engines.__all__)
    for name in engines.__all__:
        assert getattr(engines, name) is not None


def test_any_other_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute Motor"):
        engines.Motor  # noqa: B018


def test_an_engine_imports_no_arrays_and_no_machine_code():
    program = "import sys, oddly; oddly.Engine, oddly.create_engine; print(*sys.modules)"
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"numpy", "numba", "trio"} & set(done.stdout.split())
