import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { type Problem } from "@wield/core"
import { Introspection, ScriptExecutor, ScriptFolder, type Script } from "@wield/scripts"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { folderOf, platform } from "../folder/folders.js"
import { shareInFile } from "../shareInFile.js"
import { codesOf, readPage, type Claim } from "./page.js"

const page = readPage("scripts-writing.md")

const absent = ["python3", "bash"].filter((command) => spawnSync(command, ["-c", ""]).status !== 0)

const json = (text: string): unknown => JSON.parse(text)

const introspector = Effect.runSync(Effect.cached(Introspection.make))

/** What a file says, or why it cannot be a tool. */
const read = (file: string, text: string) =>
  Effect.gen(function* () {
    const { introspect } = yield* introspector
    return yield* Effect.match(introspect({ file, text }), {
      onFailure: ({ problems }) => ({ problems, script: undefined }),
      onSuccess: (script) => ({ problems: script.problems, script })
    })
  })

const only = (script: Script.Script | undefined): Script.ScriptFunction => {
  const [tool] = script?.functions ?? []
  if (tool === undefined) throw new Error("the script has no function")
  return tool
}

const said = (problems: ReadonlyArray<Problem.Problem>) =>
  problems.map(({ message, severity }) => `${severity}: ${message}`)

const executor = shareInFile(
  Effect.flatMap(folderOf({}), (cache) => ScriptExecutor.make({ cache, workers: { per: "language", size: 1 } })).pipe(
    Effect.provide(platform)
  )
)

/** The tools of files, whose calls give a result, or the failure that the model reads. */
const runnerOf = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const root = yield* folderOf(files)
    const { scripts, ...folder } = yield* ScriptFolder.load(`${root}/tools`)
    const toolset = yield* ScriptFolder.toToolset({ scripts, ...folder }, { executor: yield* executor })
    const runner = yield* ToolRunner.make(toolset)
    const run = (tool: string, sent: string) =>
      Effect.map(runner.run(ToolCall.make("1", tool, json(sent))), (outcome) =>
        outcome._tag === "Success" ? { result: outcome.result } : Outcome.render(outcome)?.structured
      )
    return { scripts, run }
  })

it("the page has the tables and examples that are tried", () => {
  expect(page.examples.filter(({ given }) => given !== undefined)).toHaveLength(6)
  expect(page.claims("Python", "JSON Schema").length).toBeGreaterThan(40)
  expect(page.claims("tag", "JSON Schema").length).toBeGreaterThan(25)
  expect(page.claims("TypeScript", "JSON Schema").length).toBeGreaterThan(25)
  expect(page.claims("JSDoc", "JSON Schema").length).toBeGreaterThan(10)
})

describe("a type of the tables has the schema that stands beside it", () => {
  const languages: ReadonlyArray<readonly [heading: string, file: string, source: (type: string) => string]> = [
    ["Python", "t.py", (type) => `${page.declarations("python")}\ndef run(x: ${type}):\n    "Does it."\n`],
    [
      "TypeScript",
      "t.ts",
      (type) => `${page.declarations("ts")}\n/** Does it. */\nexport function run(x: ${type}) {}\n`
    ],
    ["JSDoc", "t.js", (type) => `/**\n * Does it.\n * @param {${type}} x\n */\nexport function run(x) {}\n`],
    ["tag", "t.sh", (tag) => `# @describe Does it.\n# ${tag}\n_f() { echo a; }\nmain() { :; }\n`]
  ]
  for (const [heading, file, source] of languages) {
    it.effect.each([...page.claims(heading, "JSON Schema")])(
      `${heading}: $written`,
      ({ cells, first, written }: Claim) =>
        Effect.gen(function* () {
          const { problems, script } = yield* read(file, source(written))
          const [parameter] = only(script).parameters
          expect(parameter?.schema).toEqual(json(codesOf(cells[0] ?? "")[0] ?? ""))
          if (heading === "tag") expect(parameter?.isRequired).toBe(cells[1] === "yes")
          expect(problems.length > 0).toBe(/with a warning/.test(first))
        })
    )
  }
})

describe("a mistake of the tables is told in the words that stand beside it", () => {
  const languages: ReadonlyArray<readonly [heading: string, file: string, source: (mistake: string) => string]> = [
    ["Python says", "t.py", (mistake) => `${mistake}\n`],
    ["Bash says", "t.sh", (mistake) => `# @describe Does it.\n# ${mistake}\nmain() { :; }\n`],
    ["TypeScript says", "t.ts", (mistake) => `${mistake}\n`]
  ]
  for (const [heading, file, source] of languages) {
    it.effect.each([...page.claims(heading, "problem")])(`${heading}: $written`, ({ cells, written }: Claim) =>
      Effect.map(read(file, source(written)), ({ problems }) =>
        expect(said(problems)).toContain(codesOf(cells[0] ?? "")[0])
      )
    )
  }
})

describe.skipIf(absent.length > 0)(
  `the scripts of the page${absent.map((name) => `, without ${name}`).join("")}`,
  () => {
    it.scopedLive.each([...page.examples])("$file is read without a problem, and gives what the page says", (example) =>
      Effect.gen(function* () {
        const { problems } = yield* read(example.file, example.text)
        expect(said(problems)).toEqual([])
        if (example.sent === undefined || example.given === undefined) return
        const { run, scripts } = yield* runnerOf({ [`tools/${example.file.replace("tools/", "")}`]: example.text })
        const given = yield* run(only(scripts[0]).name, example.sent)
        expect(given).toEqual({ result: json(example.given) })
      }).pipe(Effect.provide(platform))
    )

    /** Of the declarations, what needs no other package. */
    const classes = page
      .declarations("python")
      .split("\n\n\n")
      .filter((part) => /^class Color|^@dataclass\nclass Address/.test(part))
      .join("\n\n")
    const imports = page
      .declarations("python")
      .split("\n")
      .filter((line) => /^from (?!typing|pydantic|annotated)/.test(line))

    const doubt = "It may have taken effect. Check its effect before you repeat it."
    const languages: ReadonlyArray<
      readonly [heading: string, extension: string, first: string, source: (written: string, name: string) => string]
    > = [
      [
        "Python returns",
        "py",
        `${imports.join("\n")}\n${classes}\n`,
        (written, name) => `def ${name}():\n    "Does it."\n    return ${written}\n`
      ],
      [
        "JavaScript returns",
        "js",
        "",
        (written, name) => `/** Does it. */\nexport function ${name}() { return (${written}) }\n`
      ],
      ["Bash prints", "sh", "", (written, name) => `# @cmd Does it.\n${name}() { ${written}; }\n`]
    ]
    for (const [heading, extension, first, source] of languages) {
      const claims = page.claims(heading, "result")
      it.scopedLive(`${heading}: ${claims.length} results`, () =>
        Effect.gen(function* () {
          const functions = claims.map(({ written }, index) => source(written, `t${index}`))
          const { run } = yield* runnerOf({ [`tools/tools.${extension}`]: first + functions.join("\n") })
          for (const [
            index,
            {
              cells: [cell = ""],
              written
            }
          ] of claims.entries()) {
            const [expected = ""] = codesOf(cell)
            expect({ written, given: yield* run(`t${index}`, "{}") }).toEqual({
              written,
              given: cell.startsWith("fails:")
                ? { error: `The result of t${index} cannot be read: ${expected}. ${doubt}` }
                : { result: json(expected) }
            })
          }
        }).pipe(Effect.provide(platform))
      )
    }
  }
)
