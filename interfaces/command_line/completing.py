"""Completion in shells: their scripts, and what they insert for a name that a stranger chose.

A name may have spaces, or characters with which a shell runs a command. zsh and fish quote what
they insert; bash inserts it as it is, so that it is quoted here.
"""

from __future__ import annotations

import os
import re
from os.path import commonprefix
from typing import TYPE_CHECKING, NamedTuple

from click.shell_completion import (
    BashComplete,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    shell_complete,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import click
    from click.shell_completion import CompletionItem


VARIABLE = "_ODDLY_COMPLETE"
"""The environment variable by which a shell asks for completions."""

BASH = """\
%(complete_func)s() {
    local answer line
    local IFS=$'\\n'
    COMPREPLY=()
    answer=$(env _ODDLY_LINE="${COMP_LINE:0:COMP_POINT}" _ODDLY_WORD="$2" \
%(complete_var)s=bash_complete "$1")
    while read -r line; do
        case ${line%%%%,*} in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("${line#*,}") ;;
        esac
    done <<< "$answer"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
"""Takes each answer as it is; the script of click has the shell run what is in it."""

FISH = """\
function %(complete_func)s
    set -l option (string match --regex -- '^-[^=]*=' (commandline -t))
    set -l answers (env COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) \
%(complete_var)s=fish_complete %(prog_name)s)
    for answer in $answers
        set -l parts (string split --max 1 "," $answer)
        switch $parts[1]
            case dir
                for path in (__fish_complete_directories $parts[2]); echo "$option$path"; end
            case file
                for path in (__fish_complete_path $parts[2]); echo "$option$path"; end
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""
"""Takes a name with commas and an option with its path; the script of click cuts both."""


class _OneLineNames(ShellComplete):
    """A shell that reads an answer from each line, so that no name may have two."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        return [item for item in found if str(item.value).isprintable()]


class Bash(_OneLineNames, BashComplete):
    """bash, which replaces the last part of a line by an answer, as it is."""

    source_template = BASH

    def complete(self) -> str:
        """Return the answers, a line each."""
        # The script of an older oddly sends no line; its shell would run what is in an answer.
        line, part = os.environ.get("_ODDLY_LINE"), os.environ.get("_ODDLY_WORD", "")
        if line is None:
            return ""
        typed = TypedLine.read(line, part)
        items = self.get_completions([*typed.words], typed.begun)
        kinds = [f"{item.type}," for item in items if item.type != "plain"]
        names = typed.answers(str(item.value) for item in items if item.type == "plain")
        return "\n".join([*kinds, *(f"plain,{name}" for name in names)])


class _WholeWords(_OneLineNames):
    """A shell that replaces the whole word, so that an answer repeats the option before its `=`."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        if sign and option.startswith("-"):
            for item in found:
                if item.type == "plain":
                    item.value = f"{option}={item.value}"
        return found


class Fish(_WholeWords, FishComplete):
    """fish."""

    source_template = FISH


class Zsh(_WholeWords, ZshComplete):
    """zsh, in which a path may follow an option and its `=`; the script of click expects none."""

    source_template = ZshComplete.source_template.replace(
        "_path_files", "compset -P 1 '-*='; _path_files"
    )


SHELLS: Mapping[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}
"""The shells by name."""


class TypedLine(NamedTuple):
    """A line of bash up to the cursor, at which a word is begun."""

    words: tuple[str, ...]
    """The words after `oddly` and before the one that is begun."""
    begun: str
    """The word that is begun, or its value if it is an option with one."""
    part: str
    """What bash replaces by an answer: the word as it is typed, or its part after `:`, say."""
    quote: str
    """The quotation mark that is open at the cursor; empty if none is."""

    @classmethod
    def read(cls, line: str, part: str) -> TypedLine:
        """Read a line, of which bash replaces the last part."""
        words, quote = _words(line)
        if quote != "'" and _is_half_an_escape(line):
            words, quote = _words(line[:-1])
            part = part.removesuffix("\\")
        *before, begun = words
        if begun.startswith("-") and "=" in begun:
            name, _, begun = begun.partition("=")
            before.append(name)
        return cls(tuple(before[1:]), begun, part, quote)

    def answers(self, words: Iterable[str]) -> list[str]:
        """Return what to insert for each of the words that can follow what is typed."""
        found = [text for word in words if (text := self.completed(word)) is not None]
        # bash inserts what all of them begin with.
        begin = commonprefix(found)  # noqa: RUF071 - letter by letter
        if self.quote != "'" and _is_half_an_escape(begin):
            found.append(begin[:-1])
        return found

    def completed(self, word: str) -> str | None:
        """Return what to insert for the whole word; None if it cannot follow what is typed."""
        if not word.startswith(self.begun):
            return None
        rest = word[len(self.begun) :]
        if self.quote and self.quote in rest:
            return None
        match self.quote:
            case "'":
                return self.part + rest
            case '"' if "!" in rest:
                # A backslash before it would become a part of the name.
                return None
            case '"':
                return self.part + re.sub(r"[\\$`]", r"\\\g<0>", rest)
            case _:
                return self.part + re.sub(r"[^\w%+,./:=@-]", r"\\\g<0>", rest)


def _is_half_an_escape(text: str) -> bool:
    """Return whether a text ends in a backslash that quotes what comes next."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


PIECE = re.compile(
    r"""[ \t\n]+|\\(?P<escaped>.?)|'(?P<single>[^']*)(?P<single_end>'?)"""
    r"""|"(?P<double>(?:[^"\\]|\\.?)*)(?P<double_end>"?)|(?P<plain>[^ \t\n\\'"]+)""",
    re.DOTALL,
)
"""A part of a line of bash; shlex reads backslashes between quotation marks otherwise."""


def _words(line: str) -> tuple[list[str], str]:
    """Return the words of a line, the last of which may be empty, and the open quotation mark."""
    words, quote = [""], ""
    for piece in PIECE.finditer(line):
        match piece[0][0]:
            case " " | "\t" | "\n":
                words.append("")
            case "'":
                words[-1] += piece["single"]
                quote = "" if piece["single_end"] else "'"
            case '"':
                words[-1] += re.sub(r'\\([\\$`"])', r"\1", piece["double"])
                quote = "" if piece["double_end"] else '"'
            case _:
                words[-1] += piece["escaped"] or piece["plain"] or ""
    return words, quote


def answer(program: click.Command, instruction: str) -> int:
    """Print what a shell asks for by its instruction, such as `bash_complete`."""
    for shell in SHELLS.values():
        add_completion_class(shell)
    return shell_complete(program, {}, "oddly", VARIABLE, instruction)


def script(program: click.Command, shell: str) -> str:
    """Return the script that makes one of the SHELLS complete the program."""
    return SHELLS[shell](program, {}, "oddly", VARIABLE).source()
