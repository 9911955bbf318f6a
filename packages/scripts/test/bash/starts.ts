/** Scripts that start their function in each way there is, or leave it to the program. */

export const argcLine = 'eval "$(argc --argc-eval "$0" "$@")"'

export const main = 'main() { echo "called for $argc_city"; }'

/** The text of a script that has these lines. */
export const scriptOf = (lines: ReadonlyArray<string>): string =>
  ["# @describe A tool.", "# @option --city", ...lines, ""].join("\n")

/** The text of a script that has these lines and a function `main`, which may be among them. */
export const withMain = (lines: ReadonlyArray<string>): string =>
  scriptOf([...(lines.includes(main) ? [] : [main]), ...lines])

/** What answers a call for Rome whose function ran once. */
export const once = { reply: { type: "none", isMarked: true }, standardOutput: "called for Rome\n" }

export const starts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["nothing", []],
  ["argc's line", [argcLine]],
  ["argc's line after other commands", ["mkdir -p made", argcLine]],
  ["argc's line above the function", [argcLine, main]],
  ["argc's line in a function", [`run() { ${argcLine}; }`, 'run "$@"']],
  ["argc's line in a subshell", [`( ${argcLine} )`]],
  ["argc's line with the file's other name", ['eval "$(argc --argc-eval "${BASH_SOURCE[0]}" "$@")"']],
  ["other commands alone", ["mkdir -p made", "cd made"]],
  ["the function's name", ['main "$@"']],
  ["another function", ['_start() { main "$@"; }', '_start "$@"']],
  ["time", ["{ time main; } 2>/dev/null"]],
  ["eval", ["eval main"]],
  ["a variable", ["start=main", "$start"]],
  ["a condition", ['if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main "$@"; fi']],
  ["an attempt to return", ['(return 0 2>/dev/null) || main "$@"']],
  ["a subshell", ["( main )"]],
  ["a pipeline", ["main | cat"]],
  ["a command substitution", ['echo "$(main)"']],
  ["a process substitution", ["cat <(main)"]],
  ["a job that it waits for", ["main &", "wait"]],
  ["a job that nobody waits for", ["main &"]],
  ["a job that it leaves behind", ["main &", "exit 0"]],
  ["a job that it leaves behind, later", ["{ sleep 0.2; main; } &", "exit 0"]],
  ["a job that set -e leaves behind", ["set -e", "{ sleep 0.2; main; } & ", "exit"]],
  ["a job that it disowns", ["main &", "disown || :"]],
  ["a job that it disowns, later", ["set -f", "{ sleep 0.2; main; } &", "disown", "exit"]],
  ["itself, beside a job without end", ["while :; do sleep 1; done &", "main"]],
  ["itself, beside a job without end, before an exit", ["while :; do sleep 1; done &", "main", "exit 0"]],
  ["a job that starts it later", ["{ sleep 0.2; main; sleep 0.1; } &"]],
  ["a job beside a program that stays", ["sleep 1000 &", "main &"]],
  ["nothing, while a program stays", ["sleep 1000 &"]],
  ["a trap at its end", ["trap main EXIT"]],
  ["a trap at its end, by another function", ["finish() { main; }", "trap 'finish; echo >&2' EXIT"]],
  ["set -e", ["set -euo pipefail", "mkdir -p made", "main"]],
  ["an exit", ["main", "exit 0"]],
  ["a file that it sources", ["source ./start.sh"]],
  ["a trap at an error", ["trap main ERR", "false", "true"]],
  ["a trap of a signal", ["trap main USR1", 'kill -USR1 "$BASHPID"']],
  ["a coprocess", ["exec {out}>&1", "coproc { main >&$out; }", "wait"]],
  ["a text that it sources", ["source <(echo main)"]],
  ["eval as a builtin", ["builtin eval main"]],
  ["eval by command", ["command eval main"]],
  ["an alias", ["shopt -s expand_aliases", "alias begin=main", "begin"]],
  ["an arithmetic expansion", ["exec {out}>&1", "list[$(main >&$out; echo 0)]=1"]],
  ["a callback of mapfile", ["begin() { main; }", "mapfile -C begin -c 1 lines <<<x"]]
]

/** Nothing sees what another process runs. */
export const unseen: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["another Bash", ["export -f main", "bash -c main"]],
  ["another Bash, by a variable", ["it=main", 'export -f "$it"', "bash -c main"]],
  ["another Bash through env", ["declare -fx main", "env bash -c main"]],
  ["another Bash for each line", ["set -a", main, "set +a", "echo x | xargs -n 1 bash -c main"]],
  ["another Bash that is given its text", ['bash -c "$(declare -f main); main"']],
  [
    "another Bash that is given all functions",
    ["declare -f >functions.sh", "echo main >>functions.sh", "bash functions.sh"]
  ],
  ["another Bash in a subshell", ['(bash <<<"$(typeset -pf main); main")']]
]

/** The shape of what `argc build` leaves: a parser of the command line that runs the function, between two marks. */
const built = [
  "# ARGC-BUILD {",
  "# Made for this test.",
  "_argc_run() {",
  '  argc__args=("tool" "$@")',
  "  argc__positionals=()",
  "  _argc_parse",
  '  if [ -n "$argc__fn" ]; then $argc__fn "${argc__positionals[@]}"; fi',
  "}",
  "_argc_parse() {",
  "  local item",
  '  for item in "${argc__args[@]:1}"; do',
  '    if [[ -n "$argc_city" ]]; then echo "error: --city given twice" >&2; exit 1; fi',
  '    argc_city="${item##*=}"',
  "  done",
  "  argc__fn=main",
  "}",
  '_argc_run "$@"',
  "# ARGC-BUILD }"
]

const shown = 'main() { echo "$argc_city ${BASH_SOURCE[0]} $LINENO"; }'

/** Scripts that argc has built, and the line in which their function stands. */
export const builtScripts = [
  [...built, shown],
  [shown, ...built],
  ["mkdir -p made", shown, ...built]
].map((lines) => ({ text: scriptOf(lines), line: lines.indexOf(shown) + 3 }))
