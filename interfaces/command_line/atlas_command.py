"""`oddly atlas`: one page and JSON that compare the boards of several studies."""

from __future__ import annotations

from pathlib import Path

from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import argument, flag
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.study_command import make_writable, write


@command()
def run(
    folder: Path | None = argument(
        "[DIR]", "the folder of the studies' JSON, where the atlas is written (default: here)"
    ),
    *,
    as_json: bool = flag("print all figures as one JSON object", names="--json"),
) -> int:
    """Write the atlas of the studies in DIR, by default here, beside them."""
    from oddly.study.atlas import ATLAS, AtlasError, make_atlas, read_studies

    place = folder or Path()
    try:
        study = make_atlas(read_studies(place))
    except AtlasError as error:
        raise BadInputError(f"atlas: {error}") from None
    make_writable(place)
    write(study, place, ATLAS, as_json=as_json)
    return DONE
