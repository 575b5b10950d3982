"""Builds the site of the docs, strictly: `python tools/build_site.py [FOLDER]`.

It wants the extra `oddly[docs]`. Pages are written to be read where they lie in the repository, and
link to each other and to source files there. Here they are copied to where the builder wants them,
and their links are turned; `docs/site.yml` says in which order they come. A link or an anchor that
leads nowhere is an error.
"""

from __future__ import annotations

import argparse
import html
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
CONFIGURATION = ROOT / "docs" / "site.yml"

FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
INFORMATION = re.compile(r"\A(```\w*).*")
"""What stands behind the language of a fenced block, as in `transcript game=yodd size=3`."""
LINK = re.compile(r"(!?)\[([^\[\]]*(?:!\[[^\]]*\]\([^)]*\))?[^\[\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
PICTURE = re.compile(r'\b(src|srcset)="([^":]+)"')
"""A picture in HTML, as where a page has one for light and one for dark screens."""
PIPES = re.compile(r"`([^`\n]*\\\|[^`\n]*)`")
"""Code in a table with escaped bars, whose backslashes the builder would show."""
COPIED = (".svg", ".png", ".csv", ".html", ".json", ".jsonl", ".xz")
"""Files that a browser shows as they are; what else is linked to becomes a page with its text."""
LANGUAGES = {".py": "python", ".toml": "toml", ".sh": "sh", ".c": "c", ".js": "javascript",
             ".java": "java", ".rs": "rust", ".awk": "awk"}  # fmt: skip


def place(source: str) -> str:
    """Where a page of the repository lies in the site: `docs/reference/rules.md` at `rules.md`."""
    if source == "README.md":
        return "install.md"
    inside = source.removeprefix("docs/")
    path = PurePosixPath(inside)
    return str(path.with_name("index.md")) if path.name == "README.md" else inside.lower()


class Site:
    """The pages that were asked for, and what they turned out to need besides."""

    def __init__(self, stage: Path) -> None:
        self.stage = stage
        self.pages: dict[str, str] = {}
        self.packages: dict[str, str] = {}
        self.sources: set[str] = set()

    def add(self, source: str) -> str:
        """A page of the repository becomes one of the site; its place there is returned."""
        self.pages[source] = place(source)
        return self.pages[source]

    def write(self, where: str, text: str) -> None:
        """One page of the site."""
        path = self.stage / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy_pages(self) -> None:
        """Copy every page with its links turned, and what these lead to."""
        for source, where in self.pages.items():
            text = (ROOT / source).read_text(encoding="utf-8")
            parts = FENCED.split(text)
            parts[::2] = [self._turn_links(source, where, part) for part in parts[::2]]
            parts[::2] = [PIPES.sub(_with_bars, part) for part in parts[::2]]
            parts[1::2] = [INFORMATION.sub(r"\1", part) for part in parts[1::2]]
            self.write(where, "".join(parts))

    def _turn_links(self, source: str, where: str, text: str) -> str:
        def steps(there: str) -> str:
            return posixpath.relpath(there, posixpath.dirname(where) or ".")

        def turned(link: re.Match[str]) -> str:
            mark, label, target, anchor = link[1], link[2], link[3], link[4] or ""
            if not target or "://" in target or target.startswith("mailto:"):
                return link[0]
            found = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
            there = self._lead_to(found)
            if there is None:
                return label
            if found in self.pages and label in (found, target, posixpath.basename(found)):
                label = title_of(found)
            return f"{mark}[{label}]({steps(there)}{anchor})"

        def shown(picture: re.Match[str]) -> str:
            found = posixpath.normpath(posixpath.join(posixpath.dirname(source), picture[2]))
            there = self._lead_to(found)
            return picture[0] if there is None else f'{picture[1]}="{steps(there)}"'

        return PICTURE.sub(shown, LINK.sub(turned, text))

    def _lead_to(self, found: str) -> str | None:
        """The place in the site of a file in the repository; none for a folder."""
        path = ROOT / found
        if found in self.pages:
            return self.pages[found]
        if path.is_dir():
            return self.packages.get(found) or self.pages.get(f"{found}/README.md")
        if not path.is_file():
            raise SystemExit(f"build_site: a link leads to {found}, which is not there")
        if path.suffix in COPIED:
            # Not where it lies beside pages: x.md and x.html would come to the same place.
            where = f"files/{found.removeprefix('docs/')}"
            (self.stage / where).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.stage / where)
            return where
        self.sources.add(found)
        return f"source/{found}.md"

    def write_sources(self) -> None:
        """A page for each source file that was linked to, with its text."""
        for found in sorted(self.sources):
            text = (ROOT / found).read_text(encoding="utf-8").rstrip()
            language = LANGUAGES.get(PurePosixPath(found).suffix, "text")
            fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=2) + 3)
            self.write(f"source/{found}.md", f"# {found}\n\n{fence}{language}\n{text}\n{fence}\n")


def _with_bars(code: re.Match[str]) -> str:
    text = html.escape(code[1], quote=False).replace("\\|", "&#124;")
    return f"<code>{text}</code>"


def write_reference(site: Site, package: str, modules: list[str]) -> str:
    """The page of what a package offers to programs; its place in the site is returned."""
    site.packages[package] = where = f"python/{package}.md"
    whole = f"::: {package}\n    options: {{members: false, show_root_heading: false}}\n"
    blocks = "\n".join([whole, *(f"::: {module}\n" for module in modules)])
    site.write(where, f"# {package}\n\n{blocks}")
    return where


def title_of(source: str) -> str:
    """The first heading of a page, or of its file name if there is none."""
    text = (ROOT / source).read_text(encoding="utf-8")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1].replace("`", "") if heading else PurePosixPath(source).stem


def navigation(site: Site, entries: list[Any]) -> list[dict[str, Any]]:
    """The entries of `site.yml` with places in the site, without pages that are not there."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(target, dict):
            start = [{"Start here": site.add(target.pop("start"))}] if "start" in target else []
            pages = [
                {name: write_reference(site, name, modules)} for name, modules in target.items()
            ]
            found.append({str(title): start + pages})
        elif isinstance(target, list):
            if below := navigation(site, target):
                found.append({str(title): below})
        elif target.endswith("/"):
            folder = sorted(
                (ROOT / target).glob("*.md"), key=lambda path: (path.name != "README.md", path.name)
            )
            found += navigation(site, [str(path.relative_to(ROOT)) for path in folder])
        elif (ROOT / target).is_file():
            found.append({title or title_of(target): site.add(target)})
        else:
            print(f"build_site: {target} is not there and is left out", file=sys.stderr)
    return found


def configuration(site: Site) -> dict[str, Any]:
    """What the builder is told: `site.yml` with its places filled in."""
    config: dict[str, Any] = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    nav = navigation(site, config["nav"])
    pages = (str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))
    (reference,) = nav[-1].values()
    reference += navigation(site, [page for page in pages if page not in site.pages])
    for plugin in config["plugins"]:
        if "mkdocstrings" in plugin:
            plugin["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT)]
    return config | {"nav": nav, "docs_dir": "pages", "site_dir": "built"}


def build(output: Path) -> int:
    """Build the site in the place of a folder; the builder's exit code is returned."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        site = Site(stage / "pages")
        config = configuration(site)
        site.copy_pages()
        site.write_sources()
        shutil.copyfile(ROOT / "docs" / "site.css", site.stage / "site.css")
        # JSON is YAML, and needs no quoting of ours.
        (stage / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")
        words = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
        code = subprocess.run(words, cwd=stage, check=False).returncode
        if code == 0:
            shutil.rmtree(output, ignore_errors=True)
            shutil.move(stage / "built", output)
    return code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "site")
    sys.exit(build(parser.parse_args().folder.absolute()))
