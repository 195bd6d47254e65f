"""The completion for bash, 3.2 of macOS included."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.command import Command
from memctl.shells import words


def script(commands: Sequence[Command]) -> str:
    """A file for bash-completion, or for ``source``."""
    fixed = "".join(
        f"    {flag}) COMPREPLY=($(compgen -W '{' '.join(allowed)}' -- \"$current\")); return ;;\n"
        for flag, allowed in words.values(commands).items()
    )
    cases = "".join(
        f"    {words.pattern(said)}) words='{' '.join(found)}' ;;\n"
        for said, found in words.after(commands).items()
    )
    return _SCRIPT.format(
        valued=" ".join(words.valued(commands)), fixed=fixed, cases=cases, session=words.SESSION
    )


# A value that is none of a few words is left to -o default: the names of files, as bash quotes them.
_SCRIPT = """# memctl completion bash > ~/.local/share/bash-completion/completions/memctl
_memctl_sessions() {{
  local file
  for file in "${{CLAUDE_CONFIG_DIR:-$HOME/.claude}}"/projects/*/"$1"*.jsonl; do
    [[ -f $file ]] || continue
    file=${{file##*/}}
    COMPREPLY+=("${{file%.jsonl}}")
  done
}}
_memctl() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} before= said= words= word
  local valued=' {valued} '
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == -* || $valued == *" $before "* ]] || said="$said $word"
    before=$word
  done
  COMPREPLY=()
  case "$previous" in
    --{session}) _memctl_sessions "$current"; return ;;
{fixed}  esac
  [[ $valued == *" $previous "* ]] && return
  [[ $said == ' {session}' && $current != -* ]] && {{ _memctl_sessions "$current"; return; }}
  case "$said " in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _memctl memctl
"""
