import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProcessTable } from "@wield/process"
import { eventually } from "../executor/scripts.js"
import { shareInFile } from "../shareInFile.js"
import { fixture, serve } from "./driver.js"

const argcLine = 'eval "$(argc --argc-eval "$0" "$@")"'

const tool = (...lines: ReadonlyArray<string>): { readonly "tool.sh": string } => ({
  "tool.sh": ["# @describe A tool.", ...lines, ""].join("\n")
})

const none = { type: "none", isMarked: true }

it.scoped("the demo tool finds each argument and each default in its variables", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({ scripts: { "demo_sh.sh": fixture("demo_sh.sh") } })
    const { reply, standardError } = yield* call(
      { string: "a b", string_enum: "bar", boolean: true, integer: 7, number: 1.5, array: ["x", "y z"] },
      { environment: { LLM_OUTPUT: join(folder, "output"), LLM_TOOL_NAME: "demo_sh" } }
    )
    expect({ reply, standardError }).toEqual({ reply: none, standardError: "" })
    expect(readFileSync(join(folder, "output"), "utf8").split("\n")).toEqual([
      "string: a b",
      "string_enum: bar",
      "boolean: 1",
      "integer: 7",
      "number: 1.5",
      "array: x y z",
      "string_optional: none",
      "integer_with_default: 42",
      "number_with_default: 3.14",
      "string_with_default: hello",
      "string_enum_with_default: foo",
      "array_optional: none",
      `LLM_OUTPUT=${join(folder, "output")}`,
      "LLM_TOOL_NAME=demo_sh",
      ""
    ])
  })
)

it.scoped.each(["fork", "once"] as const)("a function is called once, with and without argc's line (%s)", (mode) =>
  Effect.gen(function* () {
    for (const last of ["", argcLine, 'main "$@"', 'if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main "$@"; fi']) {
      const { call } = yield* serve({ scripts: tool("main() { echo called; }", last), mode })
      expect((yield* call()).standardOutput).toBe("called\n")
    }
  })
)

it.scoped("a script that tells by return whether it is sourced is called, too", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool("main() { echo called; }", 'if ! (return 0 2>/dev/null); then main "$@"; fi')
    })
    expect((yield* call()).standardOutput).toBe("called\n")
  })
)

it.scoped("without a function main, the script itself is the tool and has its variables", () =>
  Effect.gen(function* () {
    const scriptOf = (line: string) => tool("# @option --city!", line, 'echo "in $argc_city"')["tool.sh"]
    const { call } = yield* serve({ scripts: { "bare.sh": scriptOf(""), "argc.sh": scriptOf(argcLine) } })
    for (const script of ["bare.sh", "argc.sh"]) {
      expect((yield* call({ city: "Rome" }, { script })).standardOutput).toBe("in Rome\n")
    }
  })
)

it.scoped("absent and null arguments leave their variables unset, and false is absent", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --city",
        "# @option --days* <INT>",
        "# @flag --metric",
        "# @flag -v --verbose*",
        "# @arg place",
        'main() { echo "${argc_city-unset} ${argc_days-unset} ${argc_metric-unset} ${argc_verbose-unset} ${argc_place-unset} $#"; }',
        argcLine
      )
    })
    const unset = "unset unset unset unset unset 0\n"
    expect((yield* call({})).standardOutput).toBe(unset)
    expect((yield* call({ city: null, days: null, metric: false, verbose: 0, place: null })).standardOutput).toBe(unset)
    expect((yield* call({ city: "", days: [3, 4], metric: true, verbose: 2, place: "x" })).standardOutput).toBe(
      " 3 1 2 x 1\n"
    )
  })
)

it.scoped('positional arguments are in "$@" of the function and in argc__positionals', () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @arg first",
        "# @arg second=`_second`",
        "# @arg rest*",
        "# @option --mode=fast",
        "_second() { echo 'made here'; }",
        'main() { printf \'<%s>\' "$@" -- "${argc__positionals[@]}" -- "${argc__args[@]}" "$argc__fn" "$argc_second"; }',
        argcLine
      )
    })
    expect((yield* call({ first: "-n", rest: ["a b", "*"] })).standardOutput).toBe(
      "<-n><made here><a b><*><--><-n><made here><a b><*><--><tool><--mode=fast><-n><><a b><*><main><made here>"
    )
    expect((yield* call({ rest: ["z"] })).standardOutput).toContain("<><made here><z><-->")
  })
)

it.scoped("hooks run around the function", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --city",
        '_argc_before() { echo "before $argc_city"; }',
        "_argc_after() { echo after; }",
        "main() { echo main; }",
        argcLine
      )
    })
    expect((yield* call({ city: "Rome" })).standardOutput).toBe("before Rome\nmain\nafter\n")
  })
)

it.scoped("a command of an agent gets its own options, and those it inherits", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: { "tools.sh": fixture("tools.sh") },
      kind: "agent",
      environment: { WEATHER_KEY: "k" }
    })
    const { standardOutput } = yield* call({ city: "Rome", verbose: true }, { entry: "get_weather" })
    expect(standardOutput).toBe("get_weather Rome 1 get_weather\n")
  })
)

it.scoped("values that the script's own function offers are accepted, others end the call with what is possible", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --unit![`_units`]",
        "# @option --more*[`_units`]",
        "# @option --any[?`_units`]",
        "_units() { printf 'metric\\tmetres\\nimperial\\n'; }",
        'main() { echo "$argc_unit $argc_any"; }',
        argcLine
      )
    })
    expect((yield* call({ unit: "metric", any: "other" })).standardOutput).toBe("metric other\n")
    const { reply, standardError } = yield* call({ unit: "metric", more: ["imperial", "furlong"] })
    expect(reply).toEqual({ type: "exited", code: 1, signal: null, isMarked: true })
    expect(standardError).toBe(
      "error: invalid value `furlong` for `--more <MORE>`\n  [possible values: metric, imperial]\n"
    )
  })
)

const refusing: ReadonlyArray<readonly [where: string, line: string]> = [
  ["the script itself", argcLine],
  ["a pipeline", `( ${argcLine} ) | cat`],
  ["a job that is not waited for", `{ ${argcLine}; } & sleep 0.2`],
  ["a trap that ends well", `trap 'exit 0' EXIT\n${argcLine}`],
  ["a condition", `if ( ${argcLine} ); then :; fi`]
]

const refusingProgram = shareInFile(
  serve({
    scripts: Object.fromEntries(
      refusing.flatMap(([where, line]) =>
        ["main() { echo called; }", ""].map((main) => [
          `${where}${main === "" ? "" : ", main"}.sh`,
          tool("# @option --unit[`_units`]", "_units() { echo metric; }", main, line)["tool.sh"]
        ])
      )
    )
  })
)

it.effect.each(refusing)("a refused value never looks like success (argc's line in %s)", ([where]) =>
  Effect.gen(function* () {
    const { call } = yield* refusingProgram
    for (const script of [`${where}, main.sh`, `${where}.sh`]) {
      const { reply, standardError, standardOutput } = yield* call({ unit: "furlong" }, { script })
      expect(standardError).toContain("error: invalid value `furlong` for `--unit <UNIT>`\n  [possible values: metric]")
      expect({ reply, standardOutput }).toEqual({
        reply: { type: "exited", code: 1, signal: null, isMarked: true },
        standardOutput: ""
      })
      expect((yield* call({ unit: "metric" }, { script })).reply).toEqual(none)
    }
  })
)

it.scoped("declared environment variables are defaulted, exported and checked", () =>
  Effect.gen(function* () {
    const lines = [
      "# @env REGION=eu Where",
      "# @env COLOUR[red|blue]",
      "# @env API_KEY!",
      "# @env MADE=`_made`",
      "_made() { echo computed; }",
      "main() { env | grep -E '^(REGION|COLOUR|API_KEY|MADE)=' | sort | tr '\\n' ' '; }",
      argcLine
    ]
    const { call } = yield* serve({ scripts: tool(...lines), environment: { API_KEY: "secret", COLOUR: "red" } })
    expect((yield* call()).standardOutput).toBe("API_KEY=secret COLOUR=red MADE=computed REGION=eu ")
    const wrong = yield* call({}, { environment: { COLOUR: "green" } })
    expect(wrong.standardError).toBe(
      "error: invalid value `green` for environment variable `COLOUR`\n  [possible values: red, blue]\n"
    )
    const bare = yield* serve({ scripts: tool(...lines) })
    expect((yield* bare.call()).standardError).toBe(
      "error: the following required environments were not provided:\n  API_KEY\n"
    )
  })
)

it.scoped("an environment variable stands in for an absent option", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --api-key! $$",
        "# @option --tags*, $TAGS",
        "# @option --region=eu $REGION",
        "# @flag --dry $DRY",
        'main() { echo "$argc_api_key ${argc_tags[*]@Q} $argc_region ${argc_dry-unset}"; }',
        argcLine
      ),
      environment: { API_KEY: "k", TAGS: "a,b c,", DRY: "true" }
    })
    expect((yield* call()).standardOutput).toBe("k 'a' 'b c' '' eu 1\n")
    expect((yield* call({ api_key: "own", tags: ["x"], region: "us" })).standardOutput).toBe("own 'x' us 1\n")
    expect((yield* call({ tags: [], dry: false })).standardOutput).toBe("k  eu unset\n")
    const bare = yield* serve({ scripts: tool("# @option --api-key! $$", "main() { :; }", argcLine) })
    expect((yield* bare.call()).standardError).toBe(
      "error: the following required arguments were not provided:\n  --api-key <API-KEY>\n"
    )
  })
)

it.scoped("a map is an associative array whose keys are not evaluated", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({
      scripts: tool(
        "# @option -D --define%",
        'main() { for k in "${!argc_define[@]}"; do echo "$k=${argc_define[$k]}"; done | sort; }',
        argcLine
      )
    })
    const { standardOutput } = yield* call({ define: { "a]$(touch evil)": "1", b: "two words", "x[0]": "" } })
    expect(standardOutput.split("\n").toSorted()).toEqual(["", "a]$(touch evil)=1", "b=two words", "x[0]="])
    expect(existsSync(join(folder, "evil"))).toBe(false)
  })
)

it.scoped("exit codes, signals and codes that look like signals are told apart", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        "# @option --do!",
        'main() { case $argc_do in exit*) exit "${argc_do#exit}" ;; return) return 3 ;; *) kill -"$argc_do" "$BASHPID" ;; esac; }',
        argcLine
      )
    })
    const ends = (action: string) => Effect.map(call({ do: action }), ({ reply }) => reply)
    expect(yield* ends("exit0")).toEqual(none)
    for (const [action, code] of [
      ["exit3", 3],
      ["return", 3],
      ["exit143", 143],
      ["exit137", 137],
      ["exit255", 255]
    ] as const) {
      expect(yield* ends(action)).toEqual({ type: "exited", code, signal: null, isMarked: true })
    }
    for (const signal of ["TERM", "KILL", "SEGV", "INT", "PIPE", "HUP"]) {
      expect(yield* ends(signal)).toEqual({ type: "exited", code: null, signal: `SIG${signal}`, isMarked: true })
    }
    expect(yield* ends("exit0")).toEqual(none)
  })
)

it.scoped("set -e ends the script where it does when it is run by hand", () =>
  Effect.gen(function* () {
    const scriptOf = (last: string) =>
      tool("set -euo pipefail", "main() { echo one; false; echo two; }", last)["tool.sh"]
    const { call } = yield* serve({ scripts: { "bare.sh": scriptOf(""), "argc.sh": scriptOf(argcLine) } })
    for (const script of ["bare.sh", "argc.sh"]) {
      const { reply, standardOutput } = yield* call({}, { script })
      expect(standardOutput).toBe("one\n")
      expect(reply).toEqual({ type: "exited", code: 1, signal: null, isMarked: true })
    }
  })
)

it.scoped("flags of the script's first line are the script's", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: tool("main() { echo $-; false; echo two; }"), flags: ["-eu"] })
    const { reply, standardOutput } = yield* call()
    expect(standardOutput).toMatch(/^[a-zA-Z]*\n$/)
    expect(standardOutput).toContain("e")
    expect(standardOutput).toContain("u")
    expect(reply).toMatchObject({ type: "exited", code: 1 })
  })
)

it.scoped("a script finds its own path in $0 and BASH_SOURCE, and sources what lies beside it", () =>
  Effect.gen(function* () {
    const lines = [
      'source "$(dirname "$0")/lib.sh"',
      'main() { echo "$0 ${BASH_SOURCE[0]} ${BASH_SOURCE[*]: -1} $(basename "$0") $greeting"; }',
      argcLine
    ]
    const { call, folder } = yield* serve({ scripts: { ...tool(...lines), "other.sh": tool(...lines)["tool.sh"] } })
    writeFileSync(join(folder, "lib.sh"), "greeting=hello\n")
    for (const script of ["tool.sh", "other.sh"]) {
      const file = join(folder, script)
      expect((yield* call({}, { script })).standardOutput).toBe(`${file} ${file} ${file} ${script} hello\n`)
    }
  })
)

it.scoped("what runs is what was introspected, even when the file is half written or gone", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({
      scripts: tool('main() { echo "old $0 ${BASH_SOURCE[0]}"; }', argcLine)
    })
    const file = join(folder, "tool.sh")
    const old = `old ${file} ${file}\n`
    expect((yield* call()).standardOutput).toBe(old)
    writeFileSync(file, "echo new; main() {")
    expect((yield* call()).standardOutput).toBe(old)
    writeFileSync(file, "")
    expect((yield* call()).standardOutput).toBe(old)
  })
)

it.scoped("calls share neither variables nor functions, working directory, environment or traps", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool(
        'main() { echo "${seen-no} $PWD ${EXPORTED-no}"; seen=yes; export EXPORTED=yes; cd /; trap "echo bye" EXIT; }',
        argcLine
      )
    })
    const first = yield* call()
    expect(first.standardOutput).toMatch(/^no \/.+ no\nbye\n$/)
    expect((yield* call()).standardOutput).toBe(first.standardOutput)
  })
)

it.scoped("what a call leaves running is killed before it is answered, and stays in its group", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool("main() { sleep 1000 & echo $!; (sleep 1000 &); ps -o pgid= -p $!; }", argcLine)
    })
    const { group, standardOutput } = yield* call()
    const [pid = 0, processGroup] = standardOutput.trim().split(/\s+/).map(Number)
    expect(processGroup).toBe(group)
    // A busy system takes a while to end what is killed.
    const isOf = (one: number): boolean => ProcessTable.readProcess(one)?.group === group
    yield* eventually(() => ProcessTable.readProcess(pid) === undefined && !ProcessTable.listPids().some(isOf))
    expect((yield* call()).reply).toEqual(none)
  })
)

it.scoped("the group can be killed from the moment that ready names it", () =>
  Effect.gen(function* () {
    const { call, ended, folder, group } = yield* serve({ scripts: tool("main() { : >begun; sleep 1000; }", argcLine) })
    const leader = yield* group()
    const fiber = yield* Effect.fork(call())
    yield* eventually(() => existsSync(join(folder, "begun")))
    process.kill(-leader, "SIGKILL")
    expect((yield* fiber).reply).toEqual({ type: "exited", code: null, signal: "SIGKILL", isMarked: true })
    process.kill(-(yield* group()), "SIGKILL")
    expect(yield* ended).toEqual({ code: 137, signal: null })
  })
)

it.scoped("a signal to $$ reaches the script, whose traps decide", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool('main() { trap "echo caught; exit 4" TERM; kill -TERM $$; sleep 0.2; echo not reached; }', argcLine)
    })
    for (let times = 0; times < 3; times++) {
      const { reply, standardOutput } = yield* call()
      expect(standardOutput).toBe("caught\n")
      expect(reply).toEqual({ type: "exited", code: 4, signal: null, isMarked: true })
    }
  })
)

it.scoped("the script's processes have neither the program's descriptors nor its variables", () =>
  Effect.gen(function* () {
    const { call, pid } = yield* serve({
      scripts: tool(
        "main() { readlink /proc/self/fd/{0..300}; env | cut -d= -f1 | sort | tr '\\n' ' ' >&2; }",
        argcLine
      )
    })
    const { standardError, standardOutput } = yield* call({}, { environment: { LLM_OUTPUT: "x" } })
    expect(standardError).toBe("LLM_OUTPUT PATH PWD SHLVL _ ")
    // One that the program has just closed has no link any more.
    const descriptors = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return [{ descriptor, link: readlinkSync(`/proc/${pid}/fd/${descriptor}`) }]
      } catch {
        return []
      }
    })
    const found = standardOutput.split("\n")
    // The calls, the replies, and the pipe that the program has for itself: what it was started with has numbers over 200.
    const own = descriptors.filter(
      ({ descriptor, link }) =>
        ["3", "4"].includes(descriptor) || (link.startsWith("pipe:") && Number(descriptor) < 200)
    )
    expect(own.length).toBeGreaterThanOrEqual(3)
    expect(own.filter(({ link }) => found.includes(link))).toEqual([])
  })
)

it.scoped("output after exec redirections and of EXIT traps belongs to the call", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({
      scripts: tool("trap 'echo last' EXIT", "main() { echo first; echo problem >&2; exit 0; }", argcLine)
    })
    expect(yield* call()).toMatchObject({ standardOutput: "first\nlast\n", standardError: "problem\n", reply: none })
    const redirected = yield* serve({
      scripts: tool("exec >/dev/null 2>&1 3>&1 4>&1", "main() { echo first; }", argcLine)
    })
    expect(yield* redirected.call()).toMatchObject({ standardOutput: "", reply: none })
    expect(yield* redirected.call()).toMatchObject({ standardOutput: "", reply: none })
  })
)

it.scoped("a NUL character is refused with the argument's name, in lists, too", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: tool("# @option --city", "# @option --tags*", "main() { :; }", argcLine) })
    expect(yield* Effect.flip(call({ city: "a\0b" }))).toBe("city has a NUL character, which no Bash variable can hold")
    expect(yield* Effect.flip(call({ tags: ["a", "\0"] }))).toContain("tags has a NUL character")
    expect((yield* call({ city: "ab" })).reply).toEqual(none)
  })
)

it.scoped("the end of descriptor 3 ends the program, before and between calls", () =>
  Effect.gen(function* () {
    const { call, close, ended, group } = yield* serve({ scripts: tool("main() { :; }") })
    yield* call()
    const leader = yield* group()
    yield* close
    expect(yield* ended).toEqual({ code: 0, signal: null })
    expect(() => process.kill(-leader, 0)).toThrow("ESRCH")
  })
)

it.scoped("`once` ends after its answer", () =>
  Effect.gen(function* () {
    const { call, ended } = yield* serve({ scripts: tool("main() { return 5; }", argcLine), mode: "once" })
    expect((yield* call()).reply).toMatchObject({ type: "exited", code: 5 })
    expect(yield* ended).toEqual({ code: 0, signal: null })
  })
)
