"""The memory files that Claude Code keeps itself: native list, native show."""

from __future__ import annotations

import os

from memctl import output, terminal
from memctl.arguments import Arguments
from memctl.client import ask
from memctl.command import Command, Word, text
from memd.wire.visible import visible


def list_files(arguments: Arguments) -> int:
    """Every file, under its project."""
    params = arguments.params()
    if "project" in params:
        params["project"] = _place(str(params["project"]))
    answer = ask(arguments, "native.list", params)
    color = terminal.has_color(arguments.has("no_color"))
    blocks = [_project(project, color) for project in output.rows(answer, "projects")]
    return output.show(arguments, answer, "\n".join(blocks) or "No memory files.\n")


def show_file(arguments: Arguments) -> int:
    """The text of one file."""
    answer = ask(arguments, "native.show", {"file": _place(arguments.text("file") or "")})
    stored = visible(str(answer.get("text", "")))
    return output.show(arguments, answer, stored if stored.endswith("\n") else stored + "\n")


def _project(project: output.Record, color: bool) -> str:
    bold, off = ("\x1b[1m", "\x1b[0m") if color else ("", "")
    head = f"{bold}{output.line(project.get('label'))}{off}  {output.line(project.get('path') or project.get('slug'))}"
    files = [
        f"  {output.line(file.get('modified')):<10}  {output.line(file.get('name'))}"
        + (f"  ({output.line(file['skipped'])})" if file.get("skipped") else "")
        for file in output.rows(project, "files")
    ]
    return "\n".join([head, *files]) + "\n"


def _place(word: str) -> str:
    """A path as memd needs it, where it is one; a name stays a name, also one with a slug or a label before it."""
    here = os.path.abspath(os.path.expanduser(word))
    return here if word[:1] in (".", "~", "/") or os.path.exists(here) else word


COMMANDS = (
    Command(
        "native list",
        "list the memory files that Claude Code keeps itself",
        list_files,
        flags=(text("--project", "P", "of this project: its name, path or slug"),),
        story="memd reads these files and never writes them; search --in native looks in them.",
        default=True,
    ),
    Command(
        "native show",
        "show one of them, without secrets",
        show_file,
        words=(Word("FILE", "its path, or its name (below the name of its project, where several have it)"),),
        examples=("memctl native show myapp/MEMORY.md",),
    ),
)
