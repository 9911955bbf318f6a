/** However a script starts its function, the function runs once. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { shareInFile } from "../shareInFile.js"
import { serve } from "./driver.js"
import { argcLine, builtScripts, main, once, scriptOf, starts, unseen, withMain } from "./starts.js"

const script = (...lines: ReadonlyArray<string>) => ({ "tool.sh": scriptOf(lines) })

const onReturn = [["trap main RETURN"], ["trap main RETURN", "main"], ["f() { trap main RETURN; }", "f"]]

const changes: ReadonlyArray<readonly [what: string, line: string]> = [
  ["an assignment", "argc_city=Oslo"],
  ["a loop", "for argc_city in Oslo Bern; do :; done"],
  ["arithmetic", "(( argc_city = 5 ))"],
  ["an expansion", ': "${argc_city:=Oslo}"'],
  ["a declaration", "unset argc_city"]
]

/** One program has the scripts of most tests: none knows of the others, and each call is a process. */
const served = shareInFile(
  serve({
    scripts: Object.fromEntries([
      ...[...starts, ...unseen].map(([name, lines]) => [`${name}.sh`, withMain(lines)]),
      ...onReturn.map((lines) => [`${lines.join()}.sh`, scriptOf([main, ...lines])]),
      ...changes.map(([name, line]) => [`${name}.sh`, scriptOf([main, line, argcLine])]),
      ["a trap of its own.sh", scriptOf(["trap : DEBUG", main])],
      ["a trap of its own, and argc's line.sh", scriptOf(["trap : DEBUG", main, argcLine])]
    ])
  })
)

const callTool = (name: string) =>
  Effect.flatMap(served, ({ call, folder }) => {
    writeFileSync(join(folder, "start.sh"), "main\n")
    return call({ city: "Rome" }, { script: `${name}.sh` })
  })

it.effect.each(starts)("the function runs once, started by %s", ([name]) =>
  Effect.gen(function* () {
    expect(yield* callTool(name)).toMatchObject(once)
  })
)

it.effect.each(unseen)("a function that may have been started by %s is not started again", ([name]) =>
  Effect.gen(function* () {
    const { reply, standardError, standardOutput } = yield* callTool(name)
    expect({ reply, standardOutput }).toMatchObject({
      reply: { type: "exited", code: 1 },
      // Arguments are no exported variables.
      standardOutput: "called for \n"
    })
    expect(standardError).toContain(`end the script with ${argcLine}`)
  })
)

it.scoped("a function that is exported and shown runs once where argc's line ends the script", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script(main, "export -f main", "declare -f main >/dev/null", argcLine) })
    expect(yield* call({ city: "Rome" })).toMatchObject(once)
  })
)

it.effect.each(onReturn.map((lines) => [lines.join()] as const))(
  "a script that would run its function whenever another one returns is not run: %s",
  ([name]) =>
    Effect.gen(function* () {
      const { reply, standardError, standardOutput } = yield* callTool(name)
      expect({ reply, standardOutput }).toMatchObject({ reply: { type: "exited", code: 1 }, standardOutput: "" })
      expect(standardError).toContain(`end the script with ${argcLine}`)
    })
)

it.scoped("a function that a sourced file has and starts runs once, too", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({ scripts: script("source ./library.sh", "echo ready") })
    writeFileSync(join(folder, "library.sh"), `${main}\nmain\n`)
    expect(yield* call({ city: "Rome" })).toMatchObject({
      reply: once.reply,
      standardOutput: "called for Rome\nready\n"
    })
  })
)

it.effect.each(changes)("what the script does to an argument before argc's line is undone there (%s)", ([name]) =>
  Effect.gen(function* () {
    expect(yield* callTool(name)).toMatchObject(once)
  })
)

it.scoped("a function that the script starts several times runs so often", () =>
  Effect.gen(function* () {
    const { call } = yield* serve({ scripts: script(main, "main", "main | cat") })
    expect((yield* call({ city: "Rome" })).standardOutput).toBe("called for Rome\ncalled for Rome\n")
  })
)

it.scoped("a job that says in two pieces that it has started the function is waited for", () =>
  Effect.gen(function* () {
    // As a busy machine may cut what is read of it.
    const pieces = `printf %.1s "$BASHPID" >&251; sleep 0.3; printf '%s\\n' "\${BASHPID:1}" >&251`
    const { call } = yield* serve({ scripts: script(main, `{ ${pieces}; sleep 0.3; echo "at its end"; } &`) })
    expect(yield* call()).toMatchObject({ reply: { type: "none" }, standardOutput: "at its end\n" })
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

it.effect("a script that traps DEBUG itself and does not start its function is told what to do", () =>
  Effect.gen(function* () {
    const { reply, standardError, standardOutput } = yield* callTool("a trap of its own")
    expect({ reply, standardOutput }).toMatchObject({ reply: { type: "exited", code: 1 }, standardOutput: "" })
    expect(standardError).toContain(`end the script with ${argcLine}`)
    expect(yield* callTool("a trap of its own, and argc's line")).toMatchObject(once)
  })
)

it.scoped("a script that argc has built runs as the one that it was built from", () =>
  Effect.gen(function* () {
    const { call, folder } = yield* serve({
      scripts: Object.fromEntries(builtScripts.map(({ text }, index) => [`${index}.sh`, text]))
    })
    for (const [index, { line }] of builtScripts.entries()) {
      const { reply, standardError, standardOutput } = yield* call({ city: "a=b" }, { script: `${index}.sh` })
      expect({ reply, standardError }).toEqual({ reply: once.reply, standardError: "" })
      expect(standardOutput).toBe(`a=b ${join(folder, `${index}.sh`)} ${line}\n`)
    }
  })
)
