import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Problem } from "@wield/core"
import { FunctionFile, ScriptExecutor, ToolFileTemplate } from "@wield/scripts"
import { Effect } from "effect"
import { causeOf, untyped } from "../../../../test/untyped.js"
import { shareInFile } from "../shareInFile.js"

const absent = ["python3", "bash", "node"].filter((command) => spawnSync(command, ["--version"]).status !== 0)

const kinds: ReadonlyArray<ToolFileTemplate.Kind> = ["function-file", "python", "bash", "typescript", "javascript"]

const interpreters: { readonly [kind in ToolFileTemplate.Kind]: string } = {
  "function-file": "python3",
  python: "python3",
  bash: "bash",
  typescript: "node",
  javascript: "node"
}

const wish = "Splits a bill."

/** What a model would answer that has only the instructions: their example, under a name. */
const copied = (kind: ToolFileTemplate.Kind): string => {
  const block = /\n(```\w+\n.*?\n```)\n/s.exec(ToolFileTemplate.instructions({ kind, wish }))?.[1] ?? ""
  return `Here it is.\n\nFile: split_bill${kind === "bash" ? ".sh" : ""}\n\n${block}\n\nTell me if you need more.`
}

const executor = shareInFile(
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.flatMap(files.makeTempDirectoryScoped({ prefix: "wield-cache-" }), (cache) => ScriptExecutor.make({ cache }))
  ).pipe(Effect.provide(NodeContext.layer))
)

for (const kind of kinds) {
  describe(`The instructions for ${kind}`, () => {
    it("have the wish in quotes, line by line, and the names that are taken", () => {
      const text = ToolFileTemplate.instructions({
        kind,
        wish: "Tells the time.\n\n## Your answer\nNothing.",
        taken: ["now", "again", "now"],
        name: "tell_time"
      })
      assert.include(text, "> Tells the time.\n>\n> ## Your answer\n> Nothing.")
      assert.include(text, "These names are taken: `again`, `now`.")
      assert.match(text, /`tell_time\.(py|sh|ts|mjs)`/)
      assert.strictEqual(text.match(/^## Your answer$/gm)?.length, 1)
      assert.match(
        ToolFileTemplate.instructions({ kind, wish }),
        /a short name of your choice that ends in `\.(py|sh|ts|mjs)`/
      )
    })

    it.effect("show an example that the checker takes without a word", () =>
      Effect.gen(function* () {
        const accepted = yield* ToolFileTemplate.check(copied(kind), { kind })
        assert.deepStrictEqual(accepted.warnings.map(Problem.report), [])
        assert.strictEqual(accepted.text, ToolFileTemplate.example(kind))
        assert.match(accepted.file, /^split_bill\.(py|sh|ts|mjs)$/)
        const tool = accepted.kind === "script" ? accepted.content.functions[0] : accepted.content.tools[0]
        assert.strictEqual(tool?.name, "split_bill")
        assert.deepStrictEqual(tool?.inputSchema["required"], ["total", "people"])
        assert.include(tool?.description ?? "", "whenever a sum is to be shared")
      })
    )

    const left = !absent.includes(interpreters[kind]) ? "" : ` (left out: ${interpreters[kind]} is not installed)`
    it.skipIf(left !== "")(`show an example that runs, and fails as it says${left}`, () =>
      Effect.gen(function* () {
        const made = yield* executor
        const accepted = yield* ToolFileTemplate.check(copied(kind), { kind })
        const run = (parameters: { readonly [name: string]: number }) => {
          if (accepted.kind === "function-file")
            return made.runFunctionFile(accepted.content, "split_bill", parameters, {})
          const [only] = accepted.content.functions
          return only === undefined ? Effect.die("no function") : made.run(accepted.content, only, parameters)
        }
        assert.strictEqual(yield* run({ total: 100, people: 4, tip_percent: 10 }), "Each pays 27.50")
        const error = yield* Effect.flip(run({ total: 100, people: 0, tip_percent: 10 }))
        assert.include(["FunctionFailed", "ScriptRaised", "ScriptExited"], error._tag)
        assert.match(error.message, /at least one person/)
      }).pipe(Effect.runPromise)
    )

    it.effect("are kept by the checker: a name that is taken is refused", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ToolFileTemplate.check(copied(kind), { kind, taken: ["split_bill"] }))
        assert.match(error.message, /Another tool has the name "split_bill" already; take another/)
        assert.match(error.message, /line \d+, column \d+: /)
      })
    )

    it.effect("are kept by the checker: what is no such file is refused, with what to do", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ToolFileTemplate.check("I am sorry, I cannot do that.", { kind }))
        assert.match(error.message, /^The file cannot be used yet\. Correct /)
        assert.isAbove(error.message.split("\n").length, 1)
      })
    )
  })
}

describe("An answer", () => {
  const kind = "function-file"

  it.effect("may be the bare file, or end before its block does", () =>
    Effect.gen(function* () {
      const text = ToolFileTemplate.example(kind)
      for (const answer of [text, `\`\`\`\n${text}`, `~~~~py\n${text}~~~~`, `\`\`\`\`\n${text}\`\`\`\`\n`]) {
        const accepted = yield* ToolFileTemplate.check(answer, { kind, name: "mine" })
        assert.strictEqual(accepted.text.trimEnd(), text.trimEnd())
        assert.strictEqual(accepted.file, "mine.py")
      }
    })
  )

  it.effect("of several blocks is the longest of them", () =>
    Effect.gen(function* () {
      const answer = `\`\`\`bash\npip install nothing\n\`\`\`\n**File:** \`bills.py\`\n\`\`\`python\n${ToolFileTemplate.example(kind)}\`\`\``
      const accepted = yield* ToolFileTemplate.check(answer, { kind })
      assert.strictEqual(accepted.file, "bills.py")
    })
  )

  it.effect("may be a file tools, where a file has functions by name", () =>
    Effect.gen(function* () {
      const accepted = yield* ToolFileTemplate.check(ToolFileTemplate.example(kind), { kind, name: "tools" })
      assert.strictEqual(accepted.file, "tools.py")
      const script = ToolFileTemplate.check(ToolFileTemplate.example("python"), { kind: "python", name: "tools" })
      assert.match((yield* Effect.flip(script)).message, /"tools\.py" has all tools of an agent/)
    })
  )

  it.effect("may hold fences of its own within longer ones", () =>
    Effect.gen(function* () {
      const text = `${ToolFileTemplate.example(kind)}\nFENCE = """\n\`\`\`\n"""\n`
      const accepted = yield* ToolFileTemplate.check(`\`\`\`\`python\n${text}\`\`\`\``, { kind })
      assert.strictEqual(accepted.text, text)
    })
  )

  it.effect("that is turned off, empty, or has to be run to be known, is refused with its places", () =>
    Effect.gen(function* () {
      const refused = (text: string) =>
        Effect.map(Effect.flip(ToolFileTemplate.check(text, { kind })), ({ message }) => message)
      const text = ToolFileTemplate.example(kind)
      assert.match(yield* refused(text.replace("ENABLED = True", "ENABLED = False")), /write ENABLED = True/)
      assert.match(
        yield* refused(text.replace('["split_bill"]', "[]")),
        /offers no function|not in AVAILABLE_FUNCTIONS/
      )
      assert.match(yield* refused(text.replace('"split_bill",', "NAME,")), /line 11, column 21: TOOLS cannot be known/)
      assert.match(
        yield* refused(text.replace('["split_bill"]', '["split_bil"]')),
        /line 3, column 24: .*did you mean "split_bill"/
      )
    })
  )

  it.effect("that was refused and corrected is taken: the file is introspected, never run", () =>
    Effect.gen(function* () {
      const text = `raise SystemExit("imported")\n\n${ToolFileTemplate.example(kind)}`
      const accepted = yield* ToolFileTemplate.check(text, { kind })
      assert.deepStrictEqual(accepted.content, yield* FunctionFile.introspect({ file: "tool.py", text }))
    })
  )
})

describe("A mistake that models make", () => {
  const bill = ToolFileTemplate.example("function-file")
  const python = ToolFileTemplate.example("python")
  const result = 'return f"Each pays {share:.2f}", True'

  const functionFiles: ReadonlyArray<readonly [mistake: string, from: string, to: string, told: RegExp]> = [
    ["a text alone", result, 'return f"Each pays {share:.2f}"', /line 33.*returns the text .* alone here.*a pair/],
    ["a dict", result, 'return {"share": share}', /line 33.*returns `\{"share": share\}` here/],
    ["nothing", result, "return", /line 33.*returns nothing here/],
    ["a pair the other way round", result, 'return True, "Done"', /line 33.*the other way round/],
    ["three things", result, "return share, True, None", /line 33.*a tuple of 3/],
    [
      "another function's branch",
      '== "split_bill"',
      '== "splitbill"',
      /line 27.*no branch for the function "split_bill"/
    ],
    [
      "JSON's false",
      '"network": False',
      '"network": false',
      /line 8.*`false`, which is JSON's.* writes `False`[^,]*, stands in it; write it as a literal$/
    ],
    [
      "a type of Python",
      '"type": "integer"',
      '"type": "int"',
      /parameter "people" of "split_bill" .*"int"; write "integer"/
    ],
    ["no type", '"type": "integer", ', "", /parameter "people" of "split_bill" has no "type"/],
    [
      "an array of nothing",
      '"type": "integer"',
      '"type": "array"',
      /parameter "people" of "split_bill" .* without "items"/
    ],
    [
      "required in its place",
      '"description": "How many share it"',
      '"description": "How many", "required": True',
      /"required" in it; name what is required in the list/
    ],
    ["a required parameter it has not", '["total", "people"]', '["total", "persons"]', /line 20.*requires "persons"/],
    [
      "Anthropic's key",
      '"parameters": {',
      '"input_schema": {',
      /"input_schema" of split_bill is not read.*name it "parameters"/
    ],
    ["no description", /"description": "Says[^\n]*/.exec(bill)?.[0] ?? "", "", /line 10.*has no description/],
    ["a line that is shifted", "        share =", "      share =", /line 32, column 7: This line is indented otherwise/]
  ]
  for (const [mistake, from, to, told] of functionFiles) {
    it.effect(`is told to its author: ${mistake} in a function file`, () =>
      Effect.gen(function* () {
        assert.include(bill, from)
        const error = yield* Effect.flip(ToolFileTemplate.check(bill.replace(from, to), { kind: "function-file" }))
        assert.match(error.message, told)
        assert.strictEqual(error.problems.filter(Problem.isError).length, 1)
      })
    )
  }

  it.effect("that only costs quality is told with what is accepted", () =>
    Effect.gen(function* () {
      const text = bill.replace('"is_local": True,', "").replace(', "description": "How many share it"', "")
      const { warnings } = yield* ToolFileTemplate.check(text, { kind: "function-file" })
      assert.deepStrictEqual(
        warnings.map(({ rule }) => rule),
        ["parameter-description", "unstated-fact"]
      )
    })
  )

  const named = (name: string) => `${name}\n\`\`\`python\n${python}\`\`\`\n`

  it.effect("is told to its author: a script without a name, or with one that is none of a tool", () =>
    Effect.gen(function* () {
      const told = (answer: string) =>
        Effect.map(Effect.flip(ToolFileTemplate.check(answer, { kind: "python" })), ({ message }) => message)
      assert.match(
        yield* told(named("")),
        /does not name the file; begin it with a line such as `File: do_something\.py`/
      )
      assert.match(yield* told(named("File: _split.py")), /are for others to import/)
      assert.match(yield* told(named("File: tools.py")), /all tools of an agent/)
      assert.match(yield* told(named("File: a.py").replace("people: int", "people")), /has no type/)
    })
  )

  it.effect("is none: the file's name may have a folder, another extension, and stand in a heading or the file", () =>
    Effect.gen(function* () {
      const names = [
        "File: tools/split_bill.py",
        "**File:** `split_bill.python`",
        "### `split_bill.py`",
        "Filename: split_bill"
      ]
      for (const name of names) {
        const { file } = yield* ToolFileTemplate.check(named(name), { kind: "python" })
        assert.strictEqual(file, "split_bill.py", name)
      }
      for (const line of ["# File: split_bill.py", "File: split_bill.py"]) {
        const answer = named("").replace("python\n", `python\n${line}\n`)
        const { file, text } = yield* ToolFileTemplate.check(answer, { kind: "python" })
        assert.strictEqual(file, "split_bill.py")
        assert.strictEqual(text.includes("\nFile:") || text.startsWith("File:"), false)
      }
    })
  )

  it.effect("is none: what a model thought before it answered", () =>
    Effect.gen(function* () {
      const answer = `<think>\`\`\`python\n${"x = 1\n".repeat(80)}\`\`\`</think>\n${named("File: split_bill.py")}`
      assert.strictEqual((yield* ToolFileTemplate.check(answer, { kind: "python" })).text, python)
    })
  )
})

it.effect("a kind, a wish or names that are misspelt are refused: a taken name would be given again", () =>
  Effect.gen(function* () {
    const { check, example, instructions } = ToolFileTemplate
    assert.throws(() => untyped(instructions)({ kind: "script", wish }), 'kind must be "function-file" or')
    assert.throws(() => untyped(instructions)({ kind: "bash" }), "wish must be a text, but is nothing")
    assert.throws(() => untyped(instructions)({ kind: "bash", wish, takn: ["a"] }), 'did you mean "taken"?')
    assert.throws(() => untyped(example)("script"), 'The kind of a tool file must be "function-file" or')
    const refused = untyped<Effect.Effect<unknown>>(check)
    assert.include(yield* causeOf(refused("x", { kind: "bash", taken: "a" })), "taken must be a list of names")
    assert.include(yield* causeOf(refused(undefined, { kind: "bash" })), "The answer of a model must be a text")
  })
)
