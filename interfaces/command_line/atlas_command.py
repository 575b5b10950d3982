"""`oddly atlas`: one page and JSON that compare the boards of several studies."""

from __future__ import annotations

from pathlib import Path

from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import argument, flag
from oddly.interfaces.command_line.errors import DONE, FORFEITS, BadInputError
from oddly.interfaces.command_line.study_command import make_writable, write


@command()
def run(
    folder: Path | None = argument(
        "[DIR]", "the folder of the studies' JSON, where the atlas is written (default: here)"
    ),
    *,
    check: bool = flag("derive all pages from the published games; write nothing"),
    as_json: bool = flag("print all figures as one JSON object", names="--json"),
) -> int:
    """Write the atlas of the studies in DIR, by default here, beside them."""
    from oddly.study.atlas import ATLAS, AtlasError, make_atlas, read_studies

    place = folder or Path()
    if check:
        return checked(place)
    try:
        study = make_atlas(read_studies(place))
    except AtlasError as error:
        raise BadInputError(f"atlas: {error}") from None
    make_writable(place)
    write(study, place, ATLAS, as_json=as_json)
    return DONE


def checked(folder: Path) -> int:
    """Derive all studies and the atlas again; print the differences, a line each.

    Raises BadInputError if there are no studies, or no games of one.
    """
    from oddly.engines.solver.solution import without_databases
    from oddly.interfaces.command_line.command_progress import MeasuringProgress
    from oddly.study.atlas import AtlasError
    from oddly.study.first_turns import StudyError
    from oddly.study.published import differences

    is_as_published = True
    try:
        with without_databases(), MeasuringProgress("deriving") as observer:
            for said in differences(folder, observer):
                print(f"atlas: {said}")
                is_as_published = False
    except (AtlasError, StudyError) as error:
        raise BadInputError(f"atlas: {error}") from None
    if not is_as_published:
        return FORFEITS
    print("atlas: as published")
    return DONE
