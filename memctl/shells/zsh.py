"""The completion for zsh."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.command import Command
from memctl.shells import words


def script(commands: Sequence[Command]) -> str:
    """A file named ``_memctl`` in a folder of ``$fpath``, or for ``source``."""
    fixed = "".join(
        f"    {flag}) compadd -- {' '.join(allowed)}; return ;;\n"
        for flag, allowed in words.values(commands).items()
    )
    cases = "".join(
        f"    {words.pattern(said)}) completions=({' '.join(found)}) ;;\n"
        for said, found in words.after(commands).items()
    )
    return _SCRIPT.format(
        valued=" ".join(words.valued(commands)), fixed=fixed, cases=cases, session=words.SESSION
    )


# The file is the function's body where zsh loads it by itself, and defines the function where it is sourced.
_SCRIPT = """#compdef memctl
# memctl completion zsh > a file named _memctl in a folder of $fpath
_memctl_sessions() {{
  local -a sessions
  sessions=(${{CLAUDE_CONFIG_DIR:-$HOME/.claude}}/projects/*/*.jsonl(N:t:r))
  compadd -- $sessions
}}
_memctl() {{
  local before= said= word
  local -a completions valued
  valued=({valued})
  for word in ${{words[2,CURRENT-1]}}; do
    [[ $word == -* ]] || (( ${{valued[(Ie)$before]}} )) || said="$said $word"
    before=$word
  done
  case "$before" in
    --{session}) _memctl_sessions; return ;;
{fixed}  esac
  (( ${{valued[(Ie)$before]}} )) && {{ _files; return; }}
  [[ $said == ' {session}' && $PREFIX != -* ]] && {{ _memctl_sessions; return; }}
  case "$said " in
{cases}  esac
  compadd -- $completions || _files
}}
if [[ ${{funcstack[1]}} == _memctl ]]; then _memctl "$@"; else compdef _memctl memctl; fi
"""
