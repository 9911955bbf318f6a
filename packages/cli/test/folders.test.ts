import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { WebServer } from "@wield/http"
import { Effect } from "effect"
import { project } from "./wield.js"

/** A configuration of code imports the packages that are installed here. */
const here = fileURLToPath(new URL("..", import.meta.url))

const codeConfig = (lines: ReadonlyArray<string> = []) => `
import { writeFileSync } from "node:fs"
import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"

writeFileSync(new URL("ran.txt", import.meta.url), "ran")
enum Answer { Yes = "yes" }
class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { why: Schema.String }) {}

const Sums = Toolkit.make(
  Tool.make("double", { description: "Doubles a number", parameters: { n: Schema.Number }, success: Schema.Number }),
  Tool.make("fail", { failure: Refusal, failureMode: "return" }),
  Tool.make("die", {}),
  Tool.make("refund", { success: Schema.String }),
  Tool.make("forbidden", {}),
  Tool.make("slow", {})
)
export default {
  tools: [Sums],
  layer: Sums.toLayer({
    double: ({ n }) => Effect.succeed(n * 2),
    fail: () => Effect.fail(new Refusal({ why: "no" })),
    die: () => Effect.die(new Error("broken")),
    refund: () => Effect.succeed(Answer.Yes),
    forbidden: () => Effect.void,
    slow: () => Effect.never
  }),
  approval: { refund: () => ({ _tag: "Ask", why: "money" }), forbidden: () => ({ _tag: "Deny", reason: "never" }) },
  policy: { limits: { tools: { slow: { timeout: 20 } } } },
  ${lines.join("\n  ")}
}
`

const hasControls = (text: string) => ["\u001b", "\u202e", "\r"].some((control) => text.includes(control))

describe("wield search", () => {
  it.scopedLive("finds tools by a request, best first, and says so where none fits", () =>
    Effect.gen(function* () {
      const tools = ["Sends a letter", "Reads the weather", "Reads a letter aloud"].map((description, number) => ({
        name: `tool${number}`,
        description,
        type: "api",
        config: { url: "http://127.0.0.1:1" }
      }))
      const { wield } = yield* project({
        "wield.config.mjs": `import { Effect } from "effect"
const tools = ${JSON.stringify(tools)}
export default { tools: tools.map(({ name, description }) => ({ dynamic: Effect.succeed({ name, description, execute: () => Effect.void }) })) }
`
      })
      const { code, output } = yield* wield(["search", "send letters", "--json", "--trust"])
      assert.strictEqual(code, 0)
      const names = (JSON.parse(output) as { readonly tools: ReadonlyArray<{ readonly name: string }> }).tools
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["tool0", "tool2"]
      )
      const one = yield* wield(["search", "send letters", "--limit", "1", "--trust"])
      assert.match(one.output, /^.*tool0.*Sends a letter/)
      assert.notInclude(one.output, "tool2")
      const none = yield* wield(["search", "zebra", "--trust"])
      assert.strictEqual(none.code, 0)
      assert.match(none.error, /No tool fits these words/)
    })
  )
})

describe("a folder that is not trusted", () => {
  it.scopedLive("runs no code of a configuration, whatever the command", () =>
    Effect.gen(function* () {
      const { environment, folder, wield } = yield* project({ "wield.config.ts": codeConfig() }, here)
      for (const words of [["list"], ["inspect", "double"], ["call", "double", "n=1"]]) {
        const { code, error, output } = yield* wield(words)
        assert.deepStrictEqual([code, output], [3, ""])
        assert.include(error, "is not trusted. Look at what is in it, then run: wield trust ")
      }
      assert.isFalse(existsSync(join(folder, "ran.txt")))
      // A folder cannot trust itself.
      const inside = yield* wield(["list"], { environment: { ...environment, XDG_CONFIG_HOME: "." } })
      assert.strictEqual(inside.code, 3)
      // Above all, a no is a no.
      const asked = yield* wield(["list"], { isInteractive: true, ask: () => Effect.succeed("") })
      assert.strictEqual(asked.code, 3)
      assert.isFalse(existsSync(join(folder, "ran.txt")))
    })
  )

  it.scopedLive("runs where the user says so: once, from now on, or no longer", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({ "wield.config.ts": codeConfig() }, here)
      const once = yield* wield(["list", "--trust", "--names"])
      assert.deepStrictEqual([once.code, once.output.split("\n").slice(0, 2)], [0, ["double", "fail"]], once.error)
      assert.strictEqual((yield* wield(["list"])).code, 3)
      assert.deepStrictEqual(JSON.parse((yield* wield(["trust", "--json"])).output), {
        wield: 1,
        command: "trust",
        folder,
        isTrusted: true
      })
      mkdirSync(join(folder, "inside"))
      assert.strictEqual((yield* wield(["list"], { folder: join(folder, "inside") })).code, 0)
      assert.strictEqual((yield* wield(["trust", "--remove"])).code, 0)
      assert.strictEqual((yield* wield(["list"])).code, 3)
      const questions: Array<string> = []
      const ask = (question: string) => Effect.sync(() => (questions.push(question), "y"))
      assert.strictEqual((yield* wield(["list"], { isInteractive: true, ask })).code, 0)
      assert.strictEqual((yield* wield(["list"])).code, 0)
      assert.strictEqual(questions.length, 1)
    })
  )

  it.scopedLive("runs nothing that another folder's command names", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({
        "elsewhere/mcp.json": JSON.stringify({
          mcpServers: { s: { command: "sh", args: ["-c", "touch ran.txt; exit 1"] } }
        })
      })
      const inside = join(folder, "trusted")
      mkdirSync(inside)
      yield* wield(["trust", inside])
      for (const path of ["../elsewhere/mcp.json", "../elsewhere"]) {
        const lint = yield* wield(["lint", path], { folder: inside })
        assert.isFalse(existsSync(join(folder, "elsewhere", "ran.txt")) || existsSync(join(inside, "ran.txt")), path)
        if (path.endsWith("json")) assert.include(lint.error + lint.output, `wield trust ${join(folder, "elsewhere")}`)
      }
    })
  )

  it.scopedLive("is trusted by the folder that it lies in, until that is trusted no more", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({ "inside/a.txt": "" })
      yield* wield(["trust"])
      const removed = yield* wield(["trust", "--remove", "inside"])
      assert.deepStrictEqual([removed.code, removed.output], [1, ""])
      assert.include(removed.error, `is still trusted, since it lies in ${folder}`)
      assert.strictEqual((yield* wield(["trust", "--remove"])).code, 0)
      assert.strictEqual((yield* wield(["trust", "--remove", "inside"])).code, 0)
    })
  )

  it.scopedLive("is trusted beside others that are at the same moment, and a damaged list stays as it is", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 12 }, (_, index) => `f${index}`)
      const { environment, folder, wield } = yield* project(
        Object.fromEntries(names.map((name) => [`${name}/a.txt`, ""]))
      )
      const ended = yield* Effect.forEach(names, (name) => wield(["trust", name]), { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(ended.map(({ code }) => code))], [0])
      const file = join(environment["XDG_CONFIG_HOME"] ?? "", "wield", "trusted.json")
      assert.deepStrictEqual(
        JSON.parse(readFileSync(file, "utf8")).folders.toSorted(),
        names.map((name) => join(folder, name)).toSorted()
      )
      for (const text of ["{", '{"version":2,"folders":["/"]}']) {
        writeFileSync(file, text)
        const damaged = yield* wield(["trust"])
        assert.strictEqual(damaged.code, 1)
        assert.include(damaged.error, "is damaged, or of a newer version")
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }
    })
  )

  it.scopedLive("with a broken configuration is no folder of scripts, whatever WIELD_CONFIG names", () =>
    Effect.gen(function* () {
      const config = (name: string) => JSON.stringify({ tools: [{ manifest: "tools.json" }], instructions: name })
      const tool = { type: "local", function: { name: "a", description: "Does a", parameters: {} } }
      const { environment, folder, wield } = yield* project({
        "old/wield.config.json": config("old"),
        "old/tools.json": JSON.stringify({ tools: [tool] }),
        "new/wield.config.json": config("new"),
        "new/tools.json": JSON.stringify({ tools: [] }),
        "broken/wield.config.json": "{ no"
      })
      const shell = { environment: { ...environment, WIELD_CONFIG: join(folder, "new", "wield.config.json") } }
      assert.strictEqual((yield* wield(["diff", "old", "new"], shell)).code, 1)
      const listed = yield* wield(["lint", "broken"], shell)
      assert.deepStrictEqual([listed.code, listed.output], [2, ""])
    })
  )

  it.scopedLive("has no configuration in code with a name that is misspelt", () =>
    Effect.gen(function* () {
      const of = (text: string) => `export default ${text}`
      for (const [text, problem] of [
        ['{ aproval: "ask", tools: [] }', 'did you mean "approval"?'],
        ["{ timeoutt: 5, tools: [] }", 'did you mean "timeout"?'],
        ["{ timeout: 0, tools: [] }", "timeout"],
        ["{ policy: { approval: () => false }, tools: [] }", "`approval` stands beside it"],
        ['{ tools: [{ scripts: "tools", prefx: "x_" }] }', 'did you mean "prefix"?']
      ] as const) {
        const { wield } = yield* project({ "wield.config.mjs": of(text) })
        const { code, error } = yield* wield(["list", "--trust"])
        assert.strictEqual(code, 2, text)
        assert.include(error, problem)
      }
    })
  )

  it.scopedLive("blocks nothing and fills nothing", () =>
    Effect.gen(function* () {
      const { folder, wield } = yield* project({})
      const file = join(folder, "wield.config.json")
      execFileSync("mkfifo", [file])
      assert.include((yield* wield(["list"])).error, "it is no regular file")
      for (const [name, target] of [
        ["pipe", file],
        ["device", "/dev/zero"],
        ["folder", "/tmp"],
        ["loop", "loop"]
      ] as const) {
        symlinkSync(target, join(folder, name))
        const { code, error } = yield* wield(["list", "--config", name])
        assert.deepStrictEqual([code, error.includes("cannot be read")], [2, true], error)
        writeFileSync(join(folder, "chosen.json"), JSON.stringify({ tools: [], toolsets: name }))
        const chosen = yield* wield(["list", "--config", "chosen.json", "--toolset", "x"])
        assert.deepStrictEqual([chosen.code, chosen.error.includes("cannot be read")], [2, true], chosen.error)
      }
      const texts = {
        "deep.json": "[".repeat(100_000),
        "bomb.yaml": `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
          .split("")
          .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[index]}`).join(",")}]`)
          .join("\n")}\n`,
        "keys.yaml": Array.from({ length: 50_000 }, (_, index) => `key${index % 25_000}: 1\n`).join(""),
        "other.json": '{"tools":[],"tols":1}',
        "source.json":
          '{"tools":[{"manifest":"/dev/zero"},{"scripts":"/dev"},{"openapi":"../../../../dev/zero"},{"mcp":"pipe"},{"mcp":{"a":{"command":"x","envFile":"pipe"}}}]}'
      }
      for (const [name, text] of Object.entries(texts)) {
        writeFileSync(join(folder, name), text)
        const { code, error, output } = yield* wield(["list", "--config", name])
        assert.deepStrictEqual([name, code, output], [name, name === "source.json" ? 3 : 2, ""])
        assert.isBelow(error.split("\n").length, 30)
      }
    })
  )

  it.scopedLive("cannot move the cursor or forge lines by the names and descriptions of tools", () =>
    Effect.gen(function* () {
      const tool = { type: "local", function: { name: "a", description: "\u001b[2J\u202egnp.exe\r0", parameters: {} } }
      const { wield } = yield* project({
        "wield.config.json": JSON.stringify({ tools: [{ manifest: "tools.json" }] }),
        "tools.json": JSON.stringify({ tools: [tool] })
      })
      const listed = yield* wield(["list"], { isColored: true })
      assert.isFalse(hasControls(listed.output.replaceAll(/.\[(?:1|2|22)m/g, "")))
      const { output } = yield* wield(["inspect", "a"])
      assert.isFalse(hasControls(output))
    })
  )
})

describe("wield call", () => {
  it.scopedLive("ends by an exit code of each outcome, and asks on a terminal only", () =>
    Effect.gen(function* () {
      const { wield } = yield* project({ "wield.config.ts": codeConfig() }, here)
      yield* wield(["trust"])
      const table = [
        [["double", "n=21"], 0, "Success"],
        [["double", "--args", '```json\n{"n": 4,}\n```'], 0, "Success"],
        [["double", "n=x"], 4, "InvalidArguments"],
        [["doubel", "n=1"], 4, "UnknownTool"],
        [["fail"], 1, "Failure"],
        [["die"], 70, "Defect"],
        [["refund"], 5, "Deferred"],
        [["refund", "--approve"], 0, "Success"],
        [["refund", "--deny", "too much"], 6, "Denied"],
        [["forbidden", "--approve"], 6, "Denied"],
        [["slow"], 7, "TimedOut"]
      ] as const
      for (const [words, code, outcome] of table) {
        const ended = yield* wield(["call", ...words, "--json"])
        const report = JSON.parse(ended.output)
        assert.deepStrictEqual([words, ended.code, report.outcome, report.exitCode], [words, code, outcome, code])
      }
      const text = yield* wield(["call", "double", "--args", "-"], { readInput: Effect.succeed('{"n": 3}') })
      assert.deepStrictEqual(text, { code: 0, output: "6\n", error: "" })
      const wrong = yield* wield(["call", "double", "n=x"])
      assert.deepStrictEqual([wrong.output, wrong.code], ["", 4])
      assert.include(wrong.error, 'n: expected a number, received "x"')
      const answers = ["y", "", "not today"]
      const said = yield* Effect.forEach(answers, (answer) =>
        wield(["call", "refund"], { isInteractive: true, ask: () => Effect.succeed(answer) })
      )
      assert.deepStrictEqual(
        said.map(({ code }) => code),
        [0, 6, 6]
      )
      assert.include(said[2]!.error, "not today")
    })
  )

  it.scopedLive("names the option that was meant, and the tool", () =>
    Effect.gen(function* () {
      const { wield } = yield* project({ "wield.config.json": '{"tools":[]}' })
      const taken = yield* WebServer.listen(async () => new Response(), { host: "127.0.0.1", port: 0 })
      const { code, error, output } = yield* wield(["list", "--jsom"])
      assert.deepStrictEqual([code, output], [2, ""])
      assert.include(error, "There is no option --jsom: did you mean --json?")
      assert.isFalse(hasControls(error))
      const table = [
        [["lst", "--json"], "Invalid subcommand"],
        [["runs", "--json"], "Invalid subcommand"],
        [["list", "--config"], "--config needs a value"],
        [["list", "--toolset="], "--toolset needs a value"],
        [["call", "x", "--context", "--json"], "--context needs a value"],
        [["call", "x", "n=1", "-a"], "-a needs a value"],
        // Of a shell's variable that is not set, all would share one conversation.
        [["run", "Hello", "--conversation", ""], "--conversation needs a value"],
        [["call", "x", '{"n":1}', "--trust"], "Arguments as JSON are given by --args"],
        [["serve", "http", "--port", "65536", "--trust"], "--port: expected a whole number from 0 to 65535"],
        [["studio", "-p", "http"], "--port: expected a whole number from 0 to 65535"],
        [["search", "--limit", "-1", "sums"], "--limit: expected a whole number of at least 1"],
        [["runs", "stuck", "--patience", "1.5"], "--patience: expected a whole number of at least 0"],
        [["lint", "--max-warnings", "few"], "--max-warnings: expected a whole number of at least 0"],
        [["trust", "nowhere"], "is no folder"],
        // As if it were not there: its folder would be that of the command.
        [["trust", ""], "An argument is empty"],
        [["run", "", "--trust"], "An argument is empty"],
        // Each would hold, and the value would be an argument.
        [["list", "--trust=false"], "--trust takes no value"],
        [["call", "x", "--approve=no"], "--approve takes no value"],
        [["list", "--trust", "--trust"], "--trust is given twice"],
        [["studio", "-p", "1", "--port", "2"], "-p is given twice"],
        [["call", "x", "--trust", "--context", "user=a", "--context", "user=b"], '"user" is given twice'],
        [["call", "x", "--trust", "n=1", "n=2"], '"n" is given twice'],
        [["import", "openapi", "wield.config.json", "--url", "ftp://x"], "--url: expected an address"],
        [["import", "openapi", "wield.config.json", "--url", "ftp://${HOST}"], "--url: expected an address"],
        [["serve", "http", "--trust", "--host", ""], "--host needs a value"],
        [
          ["serve", "http", "--trust", "--host", "http://localhost"],
          '"http://localhost" is no address of this machine'
        ],
        [["studio", "--trust", "--host", "256.0.0.1"], '"256.0.0.1" is no address of this machine'],
        [["studio", "--trust", "--host", "0.0.0.0"], "give --allow-all-interfaces, or another host"],
        ...["serve http", "studio"].map(
          (words) =>
            [
              [...words.split(" "), "--trust", "--port", String(taken)],
              `The port ${taken} of 127.0.0.1 is taken by another program: choose another one`
            ] as const
        )
      ] as const
      for (const [words, said] of table) {
        const refused = yield* wield(words)
        assert.deepStrictEqual([words, refused.code, refused.error.includes(said)], [words, 2, true], refused.error)
      }
      const help = yield* wield(["runs", "show", "c1", "--json", "--help"])
      assert.deepStrictEqual([help.code, help.output], [0, (yield* wield(["runs", "show", "--help"])).output])
      const none = yield* wield(["inspect", "x", "--json"])
      assert.deepStrictEqual(JSON.parse(none.error), {
        wield: 1,
        error: 'There is no tool named "x". wield list shows all',
        exitCode: 4
      })
    })
  )
})
