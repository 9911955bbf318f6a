/** However a script starts its function, the function runs once. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sized } from "../../../../test/sizes.js"
import { serve } from "./driver.js"

const argcLine = 'eval "$(argc --argc-eval "$0" "$@")"'

const script = (...lines: ReadonlyArray<string>): { readonly "tool.sh": string } => ({
  "tool.sh": ["# @describe A tool.", "# @option --city", ...lines, ""].join("\n")
})

const main = 'main() { echo "called for $argc_city"; }'
const none = { type: "none", isMarked: true }
const once = { reply: none, standardOutput: "called for Rome\n" }

const starts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
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
const unseen: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
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

for (const [mode, some] of [
  ["fork", starts],
  // Both read the same script in the same way.
  ["once", sized(starts.slice(0, 4), starts)]
] as const) {
  it.scoped.each(some)(`the function runs once, started by %s (${mode})`, ([, lines]) =>
    Effect.gen(function* () {
      const { call, folder } = yield* serve({
        scripts: script(...(lines.includes(main) ? [] : [main]), ...lines),
        mode
      })
      writeFileSync(join(folder, "start.sh"), "main\n")
      expect(yield* call({ city: "Rome" })).toMatchObject(once)
      if (mode === "fork") expect(yield* call({ city: "Rome" })).toMatchObject(once)
    })
  )
}

it.scoped.each(unseen)("a function that may have been started by %s is not started again", ([, lines]) =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script(...(lines.includes(main) ? [] : [main]), ...lines) })
    const { reply, standardError, standardOutput } = yield* call({ city: "Rome" })
    expect({ reply, standardOutput }).toMatchObject({
      reply: { type: "exited", code: 1 },
      // Arguments are no exported variables.
      standardOutput: "called for \n"
    })
    expect(standardError).toContain(`end the script with ${argcLine}`)
    const told = yield* serve({ scripts: script(main, "export -f main", "declare -f main >/dev/null", argcLine) })
    expect(yield* told.call({ city: "Rome" })).toMatchObject(once)
  })
)

it.scoped.each([[["trap main RETURN"]], [["trap main RETURN", "main"]], [["f() { trap main RETURN; }", "f"]]])(
  "a script that would run its function whenever another one returns is not run: %s",
  ([lines]) =>
    Effect.gen(function* () {
      const { call } = yield* serve({ scripts: script(main, ...lines) })
      const { reply, standardError, standardOutput } = yield* call({ city: "Rome" })
      expect({ reply, standardOutput }).toMatchObject({ reply: { type: "exited", code: 1 }, standardOutput: "" })
      expect(standardError).toContain(`end the script with ${argcLine}`)
    })
)

it.scoped("a function that a sourced file has and starts runs once, too", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({ scripts: script("source ./library.sh", "echo ready") })
    writeFileSync(join(folder, "library.sh"), `${main}\nmain\n`)
    expect(yield* call({ city: "Rome" })).toMatchObject({ reply: none, standardOutput: "called for Rome\nready\n" })
  })
)

it.scoped.each([
  ["an assignment", "argc_city=Oslo"],
  ["a loop", "for argc_city in Oslo Bern; do :; done"],
  ["arithmetic", "(( argc_city = 5 ))"],
  ["an expansion", ': "${argc_city:=Oslo}"'],
  ["a declaration", "unset argc_city"]
])("what the script does to an argument before argc's line is undone there (%s)", ([, line]) =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script(main, line, argcLine) })
    expect(yield* call({ city: "Rome" })).toMatchObject(once)
  })
)

it.scoped("a function that the script starts several times runs so often", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script(main, "main", "main | cat") })
    expect((yield* call({ city: "Rome" })).standardOutput).toBe("called for Rome\ncalled for Rome\n")
  })
)

it.scoped("a trap at the end finds the exit code, and what the function has made", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: script(
        "folder=$(mktemp -d)",
        `trap 'echo "ended with $?"; cat "$folder/note"; rm -r "$folder"' EXIT`,
        'main() { echo "note of $argc_city" >"$folder/note"; return 3; }'
      )
    })
    for (let times = 0; times < 2; times++) {
      expect(yield* call({ city: "Rome" })).toMatchObject({
        reply: { type: "exited", code: 3 },
        standardOutput: "ended with 3\nnote of Rome\n"
      })
    }
  })
)

it.scoped("the function finds the shell as the script has set it, whoever starts it", () =>
  Effect.gen(function* () {
    const shown = 'main() { echo "$- ${BASH_SOURCE[0]##*/} $LINENO ${#FUNCNAME[@]} $(trap)"; }'
    const bare = yield* serve({ scripts: script(shown) })
    const watched = yield* serve({ scripts: script(shown, "true") })
    expect((yield* watched.call()).standardOutput).toBe((yield* bare.call()).standardOutput)
    const descriptor = yield* serve({ scripts: script("main() { : >&251; }", "true") })
    expect((yield* descriptor.call()).standardError).toContain("251: Bad file descriptor")
  })
)

it.scoped("a script that traps DEBUG itself and does not start its function is told what to do", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script("trap : DEBUG", main) })
    const { reply, standardError, standardOutput } = yield* call({ city: "Rome" })
    expect({ reply, standardOutput }).toMatchObject({ reply: { type: "exited", code: 1 }, standardOutput: "" })
    expect(standardError).toContain(`end the script with ${argcLine}`)
    const told = yield* serve({ scripts: script("trap : DEBUG", main, argcLine) })
    expect(yield* told.call({ city: "Rome" })).toMatchObject(once)
  })
)

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

it.scoped.each(["fork", "once"] as const)(
  "a script that argc has built runs as the one that it was built from (%s)",
  (mode) =>
    Effect.gen(function* () {
      const shown = 'main() { echo "$argc_city ${BASH_SOURCE[0]} $LINENO"; }'
      for (const lines of [
        [...built, shown],
        [shown, ...built],
        ["mkdir -p made", shown, ...built]
      ]) {
        const { call, folder } = yield* serve({ scripts: script(...lines), mode })
        const { reply, standardError, standardOutput } = yield* call({ city: "a=b" })
        expect({ reply, standardError }).toEqual({ reply: none, standardError: "" })
        expect(standardOutput).toBe(`a=b ${join(folder, "tool.sh")} ${lines.indexOf(shown) + 3}\n`)
      }
    })
)
