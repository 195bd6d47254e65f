# memctl completion fish > ~/.config/fish/completions/memctl.fish
function __memctl_sessions
    set -l folder ~/.claude
    set -q CLAUDE_CONFIG_DIR; and set folder $CLAUDE_CONFIG_DIR
    for file in $folder/projects/*/*.jsonl
        string replace -r '.*/(.*)\\.jsonl$' '$1' -- $file
    end
end
complete -c memctl -f
complete -c memctl -n __fish_use_subcommand -a search -d 'find turns, entries and memory files'
complete -c memctl -n '__fish_seen_subcommand_from search' -s n -l limit -d 'how many results at most' -r -F
complete -c memctl -n '__fish_seen_subcommand_from search' -l in -d 'what to look in' -x -a 'all turns entries native'
complete -c memctl -n '__fish_seen_subcommand_from search' -l mode -d 'by word, by meaning, or both' -x -a 'hybrid keyword vector'
complete -c memctl -n '__fish_seen_subcommand_from search' -l rank -d 'seed: entries alone, as mait-code ranks them' -x -a 'fused seed'
complete -c memctl -n '__fish_seen_subcommand_from search' -l project -d 'in this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from search' -l all-projects -d 'in every project'
complete -c memctl -n '__fish_seen_subcommand_from search' -l branch -d 'turns of this git branch; entries of it, and of no other' -r -F
complete -c memctl -n '__fish_seen_subcommand_from search' -l session -d 'said in this session' -x -a '(__memctl_sessions)'
complete -c memctl -n '__fish_seen_subcommand_from search' -l role -d 'said by' -x -a 'user assistant system tool'
complete -c memctl -n '__fish_seen_subcommand_from search' -l type -d 'entries of this type' -x -a 'fact preference decision event insight task relationship procedure'
complete -c memctl -n '__fish_seen_subcommand_from search' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from search' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from search' -l include-superseded -d 'entries that were replaced, too'
complete -c memctl -n '__fish_seen_subcommand_from search' -l subagents -d 'what subagents said, too'
complete -c memctl -n '__fish_seen_subcommand_from search' -l other-branches -d 'turns of branches of the conversation that were given up, too'
complete -c memctl -n '__fish_seen_subcommand_from search' -l explain -d 'say why each result is where it is'
complete -c memctl -n '__fish_seen_subcommand_from search' -l open -d 'print the line that resumes the best result\'s session in Claude Code, instead'
complete -c memctl -n __fish_use_subcommand -a recall -d 'recall what was said, as a text for a model, within a budget of tokens'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l budget -d 'the most tokens of the text (2000)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from recall' -l project -d 'from this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from recall' -l all-projects -d 'from every project'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l coverage -d 'a summary of how each turn begins: for overviews' -x -a 'auto always never'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l no-requests -d 'without standing requests above the turns'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l no-preferences -d 'without stated preferences above the turns'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l no-conflicts -d 'without statements that contradict each other above the turns'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l relevance -d 'by words alone, by words and meaning, or also by a cross-encoder that lies in the model cache' -x -a 'lexical hybrid semantic'
complete -c memctl -n '__fish_seen_subcommand_from recall' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from recall' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from recall' -l explain -d 'say what was kept and what was not, and why'
complete -c memctl -n __fish_use_subcommand -a context -d 'print what memd would hand to a model, at a session\'s start or with a prompt'
complete -c memctl -n '__fish_seen_subcommand_from context' -l project -d 'from this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from context' -l all-projects -d 'from every project'
complete -c memctl -n '__fish_seen_subcommand_from context' -l budget -d 'the most tokens of the text (600; 800 at a session\'s start)' -r -F
complete -c memctl -n __fish_use_subcommand -a show -d 'show an entry or a turn in full'
complete -c memctl -n '__fish_seen_subcommand_from show' -l around -d 'of a turn: and so many before and after it' -r -F
complete -c memctl -n '__fish_seen_subcommand_from show' -l open -d 'print the line that resumes its session in Claude Code, instead'
complete -c memctl -n __fish_use_subcommand -a sessions -d 'list the latest sessions'
complete -c memctl -n '__fish_seen_subcommand_from sessions' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from sessions' -l all-projects -d 'of every project'
complete -c memctl -n '__fish_seen_subcommand_from sessions' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from sessions' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from sessions' -s n -l limit -d 'how many at most (30)' -r -F
complete -c memctl -n __fish_use_subcommand -a session -d 'show a session and its turns'
complete -c memctl -n '__fish_seen_subcommand_from session' -s n -l limit -d 'how many at most (50)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from session' -l offset -d 'leave out so many' -r -F
complete -c memctl -n '__fish_seen_subcommand_from session' -a '(__memctl_sessions)'
complete -c memctl -n __fish_use_subcommand -a list -d 'list the latest turns, or entries'
complete -c memctl -n '__fish_seen_subcommand_from list' -l in -d 'what to list (turns, or entries where --type or another one of theirs is given)' -x -a 'turns entries'
complete -c memctl -n '__fish_seen_subcommand_from list' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from list' -l all-projects -d 'of every project'
complete -c memctl -n '__fish_seen_subcommand_from list' -l role -d 'said by' -x -a 'user assistant system tool'
complete -c memctl -n '__fish_seen_subcommand_from list' -l session -d 'said in this session' -x -a '(__memctl_sessions)'
complete -c memctl -n '__fish_seen_subcommand_from list' -l type -d 'entries of this type' -x -a 'fact preference decision event insight task relationship procedure'
complete -c memctl -n '__fish_seen_subcommand_from list' -l scope -d 'entries that hold everywhere, in a project, or on a branch' -x -a 'global project branch'
complete -c memctl -n '__fish_seen_subcommand_from list' -l branch -d 'entries of this branch, too' -r -F
complete -c memctl -n '__fish_seen_subcommand_from list' -l include-superseded -d 'and entries that hold no longer'
complete -c memctl -n '__fish_seen_subcommand_from list' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from list' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from list' -s n -l limit -d 'how many at most (50)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from list' -l offset -d 'leave out so many' -r -F
complete -c memctl -n __fish_use_subcommand -a remember -d 'store a statement that holds'
complete -c memctl -n '__fish_seen_subcommand_from remember' -l type -d 'what it is (fact)' -x -a 'fact preference decision event insight task relationship procedure'
complete -c memctl -n '__fish_seen_subcommand_from remember' -l importance -d 'how important it is (5)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from remember' -l scope -d 'where it holds: everywhere, in a project, or on a branch' -x -a 'global project branch'
complete -c memctl -n '__fish_seen_subcommand_from remember' -l project -d 'the project that it is of: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from remember' -l branch -d 'it holds on this branch alone' -r -F
complete -c memctl -n __fish_use_subcommand -a supersede -d 'put a new statement in the place of one that holds no longer'
complete -c memctl -n '__fish_seen_subcommand_from supersede' -l importance -d 'how important it is' -r -F
complete -c memctl -n __fish_use_subcommand -a merge -d 'put one statement in the place of several'
complete -c memctl -n '__fish_seen_subcommand_from merge' -l into -d 'the statement that says it all' -r -F
complete -c memctl -n '__fish_seen_subcommand_from merge' -l importance -d 'how important it is' -r -F
complete -c memctl -n __fish_use_subcommand -a retire -d 'let statements hold no longer, without another in their place'
complete -c memctl -n __fish_use_subcommand -a delete -d 'remove statements'
complete -c memctl -n __fish_use_subcommand -a review -d 'list what is important and fading'
complete -c memctl -n '__fish_seen_subcommand_from review' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from review' -l all-projects -d 'of every project'
complete -c memctl -n '__fish_seen_subcommand_from review' -l type -d 'of this type' -x -a 'fact preference decision event insight task relationship procedure'
complete -c memctl -n '__fish_seen_subcommand_from review' -s n -l limit -d 'how many at most (10)' -r -F
complete -c memctl -n __fish_use_subcommand -a reviewed -d 'say of statements that they hold still'
complete -c memctl -n __fish_use_subcommand -a entities -d 'list the things that were spoken of, those mentioned most first'
complete -c memctl -n '__fish_seen_subcommand_from entities' -s n -l limit -d 'so many at most (30)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from entities' -l min-mentions -d 'mentioned at least so often (1)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from entities' -l connected -d 'with a relationship to another one'
complete -c memctl -n '__fish_seen_subcommand_from entities' -a merge -d 'make two entities one'
complete -c memctl -n __fish_use_subcommand -a entity -d 'draw an entity with what it is joined to, and the entries that mention it'
complete -c memctl -n '__fish_seen_subcommand_from entity' -l dot -d 'as a graph for Graphviz'
complete -c memctl -n '__fish_seen_subcommand_from entity' -l mermaid -d 'as a diagram for Markdown'
complete -c memctl -n __fish_use_subcommand -a relationships -d 'list the relationships of an entity, with what was last said of each'
complete -c memctl -n __fish_use_subcommand -a observations -d 'list what was captured of sessions, batch by batch, the newest day first'
complete -c memctl -n '__fish_seen_subcommand_from observations' -l day -d 'of this day (UTC): 2026-11-30' -r -F
complete -c memctl -n '__fish_seen_subcommand_from observations' -l entries -d 'the entries they led to, and whether reflection has seen them'
complete -c memctl -n '__fish_seen_subcommand_from observations' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from observations' -s n -l limit -d 'so many days (7), or entries (100)' -r -F
complete -c memctl -n __fish_use_subcommand -a restore -d 'bring entries back from the observation logs, with their original times'
complete -c memctl -n '__fish_seen_subcommand_from restore' -l dry-run -d 'say what would be stored, and store nothing'
complete -c memctl -n __fish_use_subcommand -a observe -d 'have the language model read sessions, and note what is worth knowing'
complete -c memctl -n '__fish_seen_subcommand_from observe' -l session -d 'this session: its id, or how that begins' -x -a '(__memctl_sessions)'
complete -c memctl -n '__fish_seen_subcommand_from observe' -l project -d 'sessions of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from observe' -l since -d 'sessions of which something was said since then' -r -F
complete -c memctl -n '__fish_seen_subcommand_from observe' -l dry-run -d 'print exactly what would be sent, and send nothing'
complete -c memctl -n '__fish_seen_subcommand_from observe' -l yes -d 'do not ask'
complete -c memctl -n __fish_use_subcommand -a reflect -d 'have the language model read what is new among the entries'
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l now -d 'do it; else only say what there is to reflect on'
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l key -d 'the same key is the same job, also a day after it is done' -r -F
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l drain -d 'go on until nothing is left, twenty times at most'
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l min-new -d 'with fewer new entries do nothing (3)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l days -d 'where a first reflection begins (7 days ago)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from reflect' -l wait -d 'until it has ended; --timeout S says how long (600)'
complete -c memctl -n '__fish_seen_subcommand_from insights' -a list -d 'list what reflection found'
complete -c memctl -n '__fish_seen_subcommand_from insights; and __fish_seen_subcommand_from list' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from insights; and __fish_seen_subcommand_from list' -s n -l limit -d 'how many at most (100)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from proposals' -a list -d 'list what reflection would change in MEMORY.md'
complete -c memctl -n '__fish_seen_subcommand_from proposals; and __fish_seen_subcommand_from list' -l state -d 'in this state (open)' -x -a 'open applied rejected'
complete -c memctl -n '__fish_seen_subcommand_from proposals; and __fish_seen_subcommand_from list' -s n -l limit -d 'how many at most (100)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from proposals' -a show -d 'show proposals as a diff'
complete -c memctl -n '__fish_seen_subcommand_from proposals' -a apply -d 'change MEMORY.md and the entries as proposed'
complete -c memctl -n '__fish_seen_subcommand_from proposals' -a reject -d 'set proposals aside'
complete -c memctl -n __fish_use_subcommand -a ledger -d 'list what the language model was asked for, and what it cost'
complete -c memctl -n '__fish_seen_subcommand_from ledger' -l since -d 'not before: 7d, 12h, 2026-11-30' -r -F
complete -c memctl -n '__fish_seen_subcommand_from ledger' -s n -l limit -d 'so many calls' -r -F
complete -c memctl -n '__fish_seen_subcommand_from native' -a list -d 'list the memory files that Claude Code keeps itself'
complete -c memctl -n '__fish_seen_subcommand_from native; and __fish_seen_subcommand_from list' -l project -d 'of this project: its name, path or slug' -r -F
complete -c memctl -n '__fish_seen_subcommand_from native' -a show -d 'show one of them, without secrets'
complete -c memctl -n '__fish_seen_subcommand_from native; and __fish_seen_subcommand_from show' -F
complete -c memctl -n '__fish_seen_subcommand_from projects' -a list -d 'list the projects that memd knows'
complete -c memctl -n '__fish_seen_subcommand_from projects' -a alias -d 'let a path stand for a project, after its folder was moved or renamed'
complete -c memctl -n '__fish_seen_subcommand_from projects' -a merge -d 'give everything of a project to another one'
complete -c memctl -n '__fish_seen_subcommand_from projects' -a canonicalize -d 'fold projects that are known twice into one'
complete -c memctl -n '__fish_seen_subcommand_from projects; and __fish_seen_subcommand_from canonicalize' -l aliases -d 'a JSON object of former names and the names now (mait-code\'s, where it is)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from projects; and __fish_seen_subcommand_from canonicalize' -l dry-run -d 'say what would be folded, and change nothing'
complete -c memctl -n __fish_use_subcommand -a import -d 'read history from a file or folder'
complete -c memctl -n '__fish_seen_subcommand_from import' -l format -d 'what it is; auto (the default) looks' -x -a 'auto claude-code chatgpt claude-ai mem0 jsonl codex gemini opencode mait-code'
complete -c memctl -n '__fish_seen_subcommand_from import' -l user-id -d 'whose turns they are' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l agent-id -d 'which agent\'s turns they are' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l limit -d 'so many turns at most' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l include-tool-output -d 'what tools answered, too'
complete -c memctl -n '__fish_seen_subcommand_from import' -l dry-run -d 'say what would be imported, and store nothing'
complete -c memctl -n '__fish_seen_subcommand_from import' -l strict -d 'stop at the first record that cannot be read; what came before it stays'
complete -c memctl -n '__fish_seen_subcommand_from import' -l no-redact -d 'keep what looks like a secret'
complete -c memctl -n '__fish_seen_subcommand_from import' -l wait -d 'return when all of it is found by search (by word)'
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-file-bytes -d 'of a file, or of what an archive holds; larger ones are refused (1 GiB)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-record-bytes -d 'of a record; larger ones are left out (32 MiB)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-depth -d 'how deep a record nests; deeper ones are left out (64)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-turn-chars -d 'of what was said at once; longer is left out (100000)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-zip-members -d 'of an archive; one with more is refused (100000)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -l max-zip-ratio -d 'times its packed size that an archive may unpack to; a file in it under 1 MiB is never judged alone (100)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from import' -F
complete -c memctl -n __fish_use_subcommand -a export -d 'write all turns as JSON, a line each'
complete -c memctl -n '__fish_seen_subcommand_from export' -l jsonl -d 'a line a turn, which is the default'
complete -c memctl -n '__fish_seen_subcommand_from export' -l since -d 'not before: 7d, 12h, 2026-11-30, 2026-11-30T09:00' -r -F
complete -c memctl -n '__fish_seen_subcommand_from export' -l until -d 'before' -r -F
complete -c memctl -n '__fish_seen_subcommand_from export' -l project -d 'of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from export' -l limit -d 'so many turns at most' -r -F
complete -c memctl -n __fish_use_subcommand -a sync -d 'read what is new in the watched folders now'
complete -c memctl -n '__fish_seen_subcommand_from sync' -l wait -d 'return when every line that is complete now is stored and found by word'
complete -c memctl -n '__fish_seen_subcommand_from sync' -l embedded -d '… and by meaning, too (implies --wait)'
complete -c memctl -n __fish_use_subcommand -a forget -d 'remove turns and entries for good, with everything that derives from them'
complete -c memctl -n '__fish_seen_subcommand_from forget' -l session -d 'all turns of this session' -x -a '(__memctl_sessions)'
complete -c memctl -n '__fish_seen_subcommand_from forget' -l project -d 'all turns and entries of this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from forget' -l match -d 'turns and entries that hold this text, in small letters or large' -r -F
complete -c memctl -n '__fish_seen_subcommand_from forget' -l all-projects -d 'with --match: in every project, not in that of the working directory'
complete -c memctl -n '__fish_seen_subcommand_from forget' -l backups -d 'take it out of memd\'s own backups too; alone: all that was ever forgotten'
complete -c memctl -n '__fish_seen_subcommand_from forget' -l dry-run -d 'show what would go, and forget nothing'
complete -c memctl -n '__fish_seen_subcommand_from forget' -l yes -d 'do not ask'
complete -c memctl -n __fish_use_subcommand -a exclude -d 'pass over the sessions of a project\'s folder, and all below it; or list what is excluded'
complete -c memctl -n '__fish_seen_subcommand_from exclude' -l remove -d 'exclude it no longer, and read its transcripts'
complete -c memctl -n '__fish_seen_subcommand_from exclude' -l drop -d 'and forget for good what is stored of it'
complete -c memctl -n '__fish_seen_subcommand_from exclude' -l yes -d 'with --drop: do not ask'
complete -c memctl -n '__fish_seen_subcommand_from exclude' -F
complete -c memctl -n __fish_use_subcommand -a undo -d 'take a change back: of projects, and of whatever says that undo takes it back'
complete -c memctl -n '__fish_seen_subcommand_from undo' -l list -d 'list the last changes, and undo none'
complete -c memctl -n '__fish_seen_subcommand_from undo' -s n -l limit -d 'with --list: so many (30)' -r -F
complete -c memctl -n __fish_use_subcommand -a status -d 'say how memd is: what it watches, holds, and cannot do'
complete -c memctl -n __fish_use_subcommand -a stats -d 'count what is stored and what was left out'
complete -c memctl -n __fish_use_subcommand -a ping -d 'ask whether memd answers'
complete -c memctl -n __fish_use_subcommand -a hook -d 'hand an event of Claude Code to memd; it fails open'
complete -c memctl -n '__fish_seen_subcommand_from hook' -l debug -d 'say on standard error why nothing was printed'
complete -c memctl -n '__fish_seen_subcommand_from hook' -a 'session-start user-prompt-submit pre-compact stop session-end'
complete -c memctl -n __fish_use_subcommand -a doctor -d 'check everything that memd needs and promises, and say what mends it'
complete -c memctl -n '__fish_seen_subcommand_from doctor' -l fix -d 'mend what can be mended without harm, and say what was done'
complete -c memctl -n __fish_use_subcommand -a verify -d 'check the database and its indexes'
complete -c memctl -n __fish_use_subcommand -a repair -d 'make the indexes anew from what is stored'
complete -c memctl -n '__fish_seen_subcommand_from repair' -l redact -d 'look for secrets again with the rules of this version, first'
complete -c memctl -n __fish_use_subcommand -a backup -d 'write a copy of everything that is stored to one file'
complete -c memctl -n '__fish_seen_subcommand_from backup' -l force -d 'write over a file that is there already'
complete -c memctl -n '__fish_seen_subcommand_from backup' -F
complete -c memctl -n __fish_use_subcommand -a reindex -d 'make the vectors anew, in the background'
complete -c memctl -n '__fish_seen_subcommand_from reindex' -l embedder -d 'with this embedder: bundled, fastembed:<model>, bedrock:<id>, hash' -r -F
complete -c memctl -n '__fish_seen_subcommand_from reindex' -l missing -d 'only those that are missing or were set aside'
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a list -d 'list the newest jobs, and the kinds that are paused'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from list' -l state -d 'in this state' -x -a 'queued running retry paused done dead cancelled'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from list' -l kind -d 'of this kind' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from list' -s n -l limit -d 'how many at most (100)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a show -d 'show a job in full, with every attempt'
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a retry -d 'put dead, cancelled, paused or waiting jobs back into the queue, with all their tries'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from retry' -l state -d 'in this state' -x -a 'queued running retry paused done dead cancelled'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from retry' -l kind -d 'of this kind' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a cancel -d 'call jobs off, also while they run'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from cancel' -l state -d 'in this state' -x -a 'queued running retry paused done dead cancelled'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from cancel' -l kind -d 'of this kind' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a dismiss -d 'remove jobs that have ended'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from dismiss' -l state -d 'in this state' -x -a 'queued running retry paused done dead cancelled'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from dismiss' -l kind -d 'of this kind' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a pause -d 'hold a whole kind of jobs'
complete -c memctl -n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from pause' -l why -d 'the reason to show' -r -F
complete -c memctl -n '__fish_seen_subcommand_from jobs' -a resume -d 'let a kind of jobs go on'
complete -c memctl -n '__fish_seen_subcommand_from config' -a list -d 'list every setting and where its value comes from'
complete -c memctl -n '__fish_seen_subcommand_from config' -a get -d 'print one setting'
complete -c memctl -n '__fish_seen_subcommand_from config' -a set -d 'write one setting into config.toml'
complete -c memctl -n '__fish_seen_subcommand_from service' -a install -d 'write the unit or agent, start it, and have it start at login'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from install' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a uninstall -d 'stop it and remove the unit or agent'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from uninstall' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a start -d 'start memd'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from start' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a stop -d 'stop memd until the next start or login'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from stop' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a restart -d 'stop memd and start it again'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from restart' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a status -d 'what systemd or launchd says about it'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from status' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n '__fish_seen_subcommand_from service' -a logs -d 'the last lines of the log'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from logs' -s n -l lines -d 'so many lines (100)' -r -F
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from logs' -s f -l follow -d 'and those to come'
complete -c memctl -n '__fish_seen_subcommand_from service; and __fish_seen_subcommand_from logs' -l dry-run -d 'print what would be written and run, and do nothing'
complete -c memctl -n __fish_use_subcommand -a setup -d 'run memd as a service and put it into Claude Code, after showing what changes'
complete -c memctl -n '__fish_seen_subcommand_from setup' -l scope -d 'for all your sessions (user), or for those in this folder' -x -a 'user project'
complete -c memctl -n '__fish_seen_subcommand_from setup' -l dry-run -d 'show what would be changed, and change nothing'
complete -c memctl -n '__fish_seen_subcommand_from setup' -l yes -d 'do not ask'
complete -c memctl -n '__fish_seen_subcommand_from setup' -a claude-code -d 'put hooks, MCP server and skills into Claude Code, after showing what changes'
complete -c memctl -n '__fish_seen_subcommand_from setup; and __fish_seen_subcommand_from claude-code' -l scope -d 'for all your sessions (user), or for those in this folder' -x -a 'user project'
complete -c memctl -n '__fish_seen_subcommand_from setup; and __fish_seen_subcommand_from claude-code' -l force -d 'also where memd\'s hooks are there by other means'
complete -c memctl -n '__fish_seen_subcommand_from setup; and __fish_seen_subcommand_from claude-code' -l dry-run -d 'show what would be changed, and change nothing'
complete -c memctl -n '__fish_seen_subcommand_from setup; and __fish_seen_subcommand_from claude-code' -l yes -d 'do not ask'
complete -c memctl -n '__fish_seen_subcommand_from unsetup' -a claude-code -d 'take out of Claude Code what setup has put in'
complete -c memctl -n '__fish_seen_subcommand_from unsetup; and __fish_seen_subcommand_from claude-code' -l scope -d 'for all your sessions (user), or for those in this folder' -x -a 'user project'
complete -c memctl -n '__fish_seen_subcommand_from unsetup; and __fish_seen_subcommand_from claude-code' -l dry-run -d 'show what would be changed, and change nothing'
complete -c memctl -n '__fish_seen_subcommand_from unsetup; and __fish_seen_subcommand_from claude-code' -l yes -d 'do not ask'
complete -c memctl -n __fish_use_subcommand -a mcp -d 'offer memory to a model as an MCP server, on standard input and output'
complete -c memctl -n '__fish_seen_subcommand_from mcp' -l project -d 'held to this project: its name or path' -r -F
complete -c memctl -n '__fish_seen_subcommand_from mcp' -l all-projects -d 'of every project'
complete -c memctl -n '__fish_seen_subcommand_from mcp' -l read-only -d 'without the tools that remember, supersede and forget'
complete -c memctl -n __fish_use_subcommand -a completion -d 'print the completion for a shell'
complete -c memctl -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
complete -c memctl -n __fish_use_subcommand -a insights
complete -c memctl -n __fish_use_subcommand -a proposals
complete -c memctl -n __fish_use_subcommand -a native
complete -c memctl -n __fish_use_subcommand -a projects
complete -c memctl -n __fish_use_subcommand -a jobs
complete -c memctl -n __fish_use_subcommand -a config
complete -c memctl -n __fish_use_subcommand -a service
complete -c memctl -n __fish_use_subcommand -a unsetup
complete -c memctl -l json -d 'print one JSON document, ASCII alone'
complete -c memctl -l socket -d 'the socket of memd (MEMD_SOCKET)' -r -F
complete -c memctl -l home -d 'the home of memd (MEMD_HOME)' -r -F
complete -c memctl -l timeout -d 'seconds to wait for the answer (8)' -r -F
complete -c memctl -l no-color -d 'no colour, also on a terminal (NO_COLOR)'
complete -c memctl -l version -d 'print the version of memctl'
complete -c memctl -s h -l help -d 'show this help'
