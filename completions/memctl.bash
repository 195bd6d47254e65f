# memctl completion bash > ~/.local/share/bash-completion/completions/memctl
_memctl_sessions() {
  local file
  for file in "${CLAUDE_CONFIG_DIR:-$HOME/.claude}"/projects/*/"$1"*.jsonl; do
    [[ -f $file ]] || continue
    file=${file##*/}
    COMPREPLY+=("${file%.jsonl}")
  done
}
_memctl() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} before= said= words= word
  local valued=' --socket --home --timeout --limit -n --in --mode --rank --project --branch --session --role --type --since --until --budget --coverage --relevance --around --offset --scope --importance --into --min-mentions --day --key --min-new --days --state --aliases --format --user-id --agent-id --max-file-bytes --max-record-bytes --max-depth --max-turn-chars --max-zip-members --max-zip-ratio --match --embedder --kind --why --lines '
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* || $valued == *" $before "* ]] || said="$said $word"
    before=$word
  done
  COMPREPLY=()
  case "$previous" in
    --session) _memctl_sessions "$current"; return ;;
    --in) COMPREPLY=($(compgen -W 'all turns entries native' -- "$current")); return ;;
    --mode) COMPREPLY=($(compgen -W 'hybrid keyword vector' -- "$current")); return ;;
    --rank) COMPREPLY=($(compgen -W 'fused seed' -- "$current")); return ;;
    --role) COMPREPLY=($(compgen -W 'user assistant system tool' -- "$current")); return ;;
    --type) COMPREPLY=($(compgen -W 'fact preference decision event insight task relationship procedure' -- "$current")); return ;;
    --coverage) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    --relevance) COMPREPLY=($(compgen -W 'lexical hybrid semantic' -- "$current")); return ;;
    --scope) COMPREPLY=($(compgen -W 'global project branch user' -- "$current")); return ;;
    --state) COMPREPLY=($(compgen -W 'open applied rejected queued running retry paused done dead cancelled' -- "$current")); return ;;
    --format) COMPREPLY=($(compgen -W 'auto claude-code chatgpt claude-ai mem0 jsonl codex gemini opencode mait-code' -- "$current")); return ;;
  esac
  [[ $valued == *" $previous "* ]] && return
  [[ $said == ' session' && $current != -* ]] && { _memctl_sessions "$current"; return; }
  case "$said " in
    " entities merge "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " insights list "*) words='--project --limit --json --socket --home --timeout --no-color --version --help' ;;
    " proposals list "*) words='--state --limit --json --socket --home --timeout --no-color --version --help' ;;
    " proposals show "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " proposals apply "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " proposals reject "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " native list "*) words='--project --json --socket --home --timeout --no-color --version --help' ;;
    " native show "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " projects list "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " projects alias "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " projects merge "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " projects canonicalize "*) words='--aliases --dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " jobs list "*) words='--state --kind --limit --json --socket --home --timeout --no-color --version --help' ;;
    " jobs show "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " jobs retry "*) words='--state --kind --json --socket --home --timeout --no-color --version --help' ;;
    " jobs cancel "*) words='--state --kind --json --socket --home --timeout --no-color --version --help' ;;
    " jobs dismiss "*) words='--state --kind --json --socket --home --timeout --no-color --version --help' ;;
    " jobs pause "*) words='--why --json --socket --home --timeout --no-color --version --help' ;;
    " jobs resume "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " config list "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " config get "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " config set "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " service install "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service uninstall "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service start "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service stop "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service restart "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service status "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " service logs "*) words='--lines --follow --dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " setup claude-code "*) words='--scope --force --dry-run --yes --json --socket --home --timeout --no-color --version --help' ;;
    " unsetup claude-code "*) words='--scope --dry-run --yes --json --socket --home --timeout --no-color --version --help' ;;
    " search "*) words='--limit --in --mode --rank --project --all-projects --branch --session --role --type --since --until --include-superseded --subagents --other-branches --explain --open --json --socket --home --timeout --no-color --version --help' ;;
    " recall "*) words='--budget --project --all-projects --coverage --no-requests --no-preferences --no-conflicts --relevance --since --until --explain --json --socket --home --timeout --no-color --version --help' ;;
    " context "*) words='--project --all-projects --budget --json --socket --home --timeout --no-color --version --help' ;;
    " show "*) words='--around --open --json --socket --home --timeout --no-color --version --help' ;;
    " sessions "*) words='--project --all-projects --since --until --limit --json --socket --home --timeout --no-color --version --help' ;;
    " session "*) words='--limit --offset --json --socket --home --timeout --no-color --version --help' ;;
    " list "*) words='--in --project --all-projects --role --session --type --scope --branch --include-superseded --since --until --limit --offset --json --socket --home --timeout --no-color --version --help' ;;
    " remember "*) words='--type --importance --scope --project --branch --json --socket --home --timeout --no-color --version --help' ;;
    " supersede "*) words='--importance --json --socket --home --timeout --no-color --version --help' ;;
    " merge "*) words='--into --importance --json --socket --home --timeout --no-color --version --help' ;;
    " retire "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " delete "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " review "*) words='--project --all-projects --type --limit --json --socket --home --timeout --no-color --version --help' ;;
    " reviewed "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " entities "*) words='--limit --min-mentions --connected --json --socket --home --timeout --no-color --version --help merge' ;;
    " entity "*) words='--dot --mermaid --json --socket --home --timeout --no-color --version --help' ;;
    " relationships "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " observations "*) words='--day --entries --project --limit --json --socket --home --timeout --no-color --version --help' ;;
    " restore "*) words='--dry-run --json --socket --home --timeout --no-color --version --help' ;;
    " observe "*) words='--session --project --since --dry-run --yes --json --socket --home --timeout --no-color --version --help' ;;
    " reflect "*) words='--project --now --key --drain --min-new --days --wait --json --socket --home --timeout --no-color --version --help' ;;
    " insights "*) words='list' ;;
    " proposals "*) words='list show apply reject' ;;
    " ledger "*) words='--since --limit --json --socket --home --timeout --no-color --version --help' ;;
    " native "*) words='list show' ;;
    " projects "*) words='list alias merge canonicalize' ;;
    " import "*) words='--format --user-id --agent-id --since --until --limit --include-tool-output --dry-run --strict --no-redact --wait --max-file-bytes --max-record-bytes --max-depth --max-turn-chars --max-zip-members --max-zip-ratio --json --socket --home --timeout --no-color --version --help' ;;
    " export "*) words='--jsonl --since --until --project --limit --json --socket --home --timeout --no-color --version --help' ;;
    " sync "*) words='--wait --embedded --json --socket --home --timeout --no-color --version --help' ;;
    " forget "*) words='--session --project --match --all-projects --backups --dry-run --yes --json --socket --home --timeout --no-color --version --help' ;;
    " exclude "*) words='--remove --drop --yes --json --socket --home --timeout --no-color --version --help' ;;
    " undo "*) words='--list --limit --json --socket --home --timeout --no-color --version --help' ;;
    " status "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " stats "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " ping "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " hook "*) words='session-start user-prompt-submit pre-compact stop session-end --debug --json --socket --home --timeout --no-color --version --help' ;;
    " doctor "*) words='--fix --json --socket --home --timeout --no-color --version --help' ;;
    " verify "*) words='--json --socket --home --timeout --no-color --version --help' ;;
    " repair "*) words='--redact --json --socket --home --timeout --no-color --version --help' ;;
    " backup "*) words='--force --json --socket --home --timeout --no-color --version --help' ;;
    " reindex "*) words='--embedder --missing --json --socket --home --timeout --no-color --version --help' ;;
    " jobs "*) words='list show retry cancel dismiss pause resume' ;;
    " config "*) words='list get set' ;;
    " service "*) words='install uninstall start stop restart status logs' ;;
    " setup "*) words='--scope --dry-run --yes --json --socket --home --timeout --no-color --version --help claude-code' ;;
    " unsetup "*) words='claude-code' ;;
    " mcp "*) words='--project --all-projects --read-only --json --socket --home --timeout --no-color --version --help' ;;
    " completion "*) words='bash zsh fish --json --socket --home --timeout --no-color --version --help' ;;
    *) words='search recall context show sessions session list remember supersede merge retire delete review reviewed entities entity relationships observations restore observe reflect insights proposals ledger native projects import export sync forget exclude undo status stats ping hook doctor verify repair backup reindex jobs config service setup unsetup mcp completion --json --socket --home --timeout --no-color --version --help' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _memctl memctl
