"""Pages that are drawn on the server, readable without JavaScript: one skeleton for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.interfaces.serving.tagged_answers import tagged
from oddly.interfaces.viewer.templates import templates_of
from oddly.interfaces.web.page_files import KINDS, PageFiles

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


class DrawnPages:
    """The templates of such pages. Every text in them is escaped, and nothing stands inline."""

    def __init__(self, files: PageFiles) -> None:
        self._files = files
        self._templates = templates_of("oddly.interfaces.web")

    def page(
        self, request: Request, template: str, status: int = 200, **values: object
    ) -> Response:
        """Return the page of a template; a browser that has it already gets no body.

        Besides `values`, a template has `root`, the way to the start page, `file`, which names a
        file that a browser may keep for good, and `is_guest`.
        """
        root = root_of(request)
        body = self._templates.get_template(template).render(
            root=root,
            file=lambda name: f"{root}static/{self._files.lasting[name]}",
            is_guest=bool(request.scope.get("is_guest")),
            **values,
        )
        answer = tagged(request, body.encode(), KINDS[".html"])
        if answer.status_code == 200:
            answer.status_code = status
        return answer


def root_of(request: Request) -> str:
    """Return the way from the page of a request to the start page, as the browser goes it."""
    path, root = str(request.scope["path"]), str(request.scope.get("root_path", ""))
    below = path[len(root) :] if root and path.startswith(root) else path
    return "../" * (below.count("/") - 1) or "./"
