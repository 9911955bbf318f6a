import { assert, describe, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { ToolFileTemplate } from "@wield/scripts"
import { Effect } from "effect"
import { wield, wieldHere } from "./wield.js"

const kinds = ["function-file", "python", "bash", "typescript", "javascript"] as const

const temporaryFolder = Effect.flatMap(FileSystem.FileSystem, (files) =>
  files.makeTempDirectoryScoped({ prefix: "wield-cli-" })
)

/** What a model answers that keeps to the instructions. */
const answerOf = (file: string, text: string) => `Here it is.\n\nFile: ${file}\n\n\`\`\`\n${text}\`\`\`\n`

const splitBill = (kind: ToolFileTemplate.Kind) => ToolFileTemplate.example(kind)

describe("wield tool-file instructions", () => {
  it.live("prints what a model is told, of each kind of file", () =>
    Effect.gen(function* () {
      const printed = yield* Effect.forEach(kinds, (kind) =>
        wieldHere(["tool-file", "instructions", "--kind", kind, "--taken", "web_search", "Splits a bill"])
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        printed,
        kinds.map((kind) => ({
          code: 0,
          output: ToolFileTemplate.instructions({ kind, wish: "Splits a bill", taken: ["web_search"] }),
          error: ""
        }))
      )
    })
  )

  it.live("takes the wish from standard input, and the names of the folder that the file is for", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporaryFolder
      yield* files.writeFileString(`${folder}/split_bill.sh`, splitBill("bash"))
      const { code, output } = yield* wield(
        ["tool-file", "instructions", "--kind", "bash", "--folder", folder, "--name", "toss_coin", "-"],
        "Tosses a coin.\nTwice."
      )
      assert.strictEqual(code, 0)
      assert.include(output, "> Tosses a coin.\n> Twice.\n")
      assert.include(output, "These names are taken: `split_bill`.")
      assert.include(output, "the file's name: `toss_coin.sh`")
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  it.live("refuses an empty wish", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* wield(["tool-file", "instructions", "--kind", "bash", "-"], " \n"), {
        code: 1,
        output: "",
        error: "The wish is empty. Say what the tool should do\n"
      })
    })
  )
})

describe("wield tool-file check", () => {
  it.live("accepts what keeps to the instructions, of each kind of file, and names its tools", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const answer = `${yield* temporaryFolder}/answer.md`
      const checked = yield* Effect.forEach(kinds, (kind) =>
        Effect.zipRight(
          files.writeFileString(answer, answerOf("split_bill", splitBill(kind))),
          wieldHere(["tool-file", "check", "--kind", kind, answer])
        )
      )
      assert.deepStrictEqual(
        checked.map(({ code, error, output }) => [code, error, output]),
        [
          [0, "", "split_bill.py: split_bill\n"],
          [0, "", "split_bill.py: split_bill\n"],
          [0, "", "split_bill.sh: split_bill\n"],
          [0, "", "split_bill.ts: split_bill\n"],
          [0, "", "split_bill.mjs: split_bill\n"]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  it.live("says what is wrong in words to hand back, and where", () =>
    Effect.gen(function* () {
      const broken = splitBill("python").replace("def run(", "def split(")
      const { code, error, output } = yield* wield(
        ["tool-file", "check", "--kind", "python", "-"],
        answerOf("split_bill.py", broken)
      )
      assert.deepStrictEqual([code, output], [1, ""])
      assert.match(error, /^The file cannot be used yet\. Correct this, and answer with the complete file again:\n- /)
      assert.include(error, "run")
    })
  )

  it.live("saves what was accepted in the folder, and leaves a file that is there as it is", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporaryFolder
      const answer = `${folder}/answer.md`
      yield* files.writeFileString(answer, answerOf("split_bill.ts", splitBill("typescript")))
      const tools = `${folder}/tools`
      yield* files.makeDirectory(tools)
      const check = ["tool-file", "check", "--kind", "typescript", "--folder", tools, "--save"]
      const first = yield* wieldHere([...check, answer])
      assert.deepStrictEqual(first, { code: 0, output: "split_bill.ts: split_bill\n", error: "" })
      assert.strictEqual(yield* files.readFileString(`${tools}/split_bill.ts`), splitBill("typescript"))

      const again = yield* wieldHere([...check, answer])
      assert.strictEqual(again.code, 1)
      assert.include(again.error, 'Another tool has the name "split_bill" already')

      yield* files.writeFileString(`${tools}/half.ts`, "not yet a tool")
      const other = yield* wieldHere([...check, "--name", "half", answer])
      assert.deepStrictEqual(other, {
        code: 1,
        output: "",
        error: `${tools}/half.ts exists already. Remove it, or give the new file another --name\n`
      })
      assert.strictEqual(yield* files.readFileString(`${tools}/half.ts`), "not yet a tool")
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  it.live("takes a tool file that lies in its folder for itself, not for another of its name", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* temporaryFolder
      yield* files.writeFileString(`${folder}/split_bill.py`, splitBill("python"))
      assert.deepStrictEqual(
        yield* wieldHere(["tool-file", "check", "--kind", "python", "--folder", folder, `${folder}/split_bill.py`]),
        { code: 0, output: "split_bill.py: split_bill\n", error: "" }
      )
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )
})

describe("the command", () => {
  it.live("tells what it cannot do by 1, and what it does not understand by 2, on standard error", () =>
    Effect.gen(function* () {
      const commands = [
        ["tool-file", "check", "--kind", "bash", "no/such/file"],
        ["tool-file", "check", "--kind", "bash", "--save"],
        ["tool-file", "check", "--kind", "cobol"],
        ["tool-file", "instructions", "Splits a bill"],
        ["tool-files"]
      ]
      const ended = yield* Effect.forEach(commands, (given) => wieldHere(given))
      assert.deepStrictEqual(
        ended.map(({ code, output }) => [code, output]),
        [
          [1, ""],
          [1, ""],
          [2, ""],
          [2, ""],
          [2, ""]
        ]
      )
      const said = [
        "no/such/file does not exist",
        "--save needs --folder",
        "function-file",
        "--kind",
        "Invalid subcommand"
      ]
      for (const [index, text] of said.entries()) assert.include(ended[index]?.error, text)
    })
  )

  it.live("tells as JSON what it does not understand, where JSON is asked for", () =>
    Effect.gen(function* () {
      for (const given of [
        ["inspect"],
        ["replay"],
        ["lint", "--max-warnings", "many"],
        ["list", "--pretty"],
        ["lists"]
      ]) {
        const { code, error, output } = yield* wieldHere([...given, "--json"])
        assert.deepStrictEqual([code, output], [2, ""], given.join(" "))
        const { error: text, exitCode, wield } = JSON.parse(error)
        assert.deepStrictEqual([wield, exitCode, typeof text], [1, 2, "string"])
        assert.isFalse(text.includes("\u001b") || text === "", text)
      }
    })
  )

  it.live("has help, and the version of its package", () =>
    Effect.gen(function* () {
      const [help, version] = yield* Effect.all([wield(["--help"]), wield(["--version"])], { concurrency: 2 })
      assert.deepStrictEqual([help.code, version.code], [0, 0])
      assert.include(help.output, "tool-file check")
      const files = yield* FileSystem.FileSystem
      const manifest: unknown = JSON.parse(
        yield* files.readFileString(new URL("../package.json", import.meta.url).pathname)
      )
      assert.nestedPropertyVal(manifest, "version", version.output.trim())
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
