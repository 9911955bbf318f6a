import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect } from "effect"
import { report } from "@wield/core/Problem"
import type { Introspected } from "../../src/syntax/Source.js"
import { fixture, read, readFixture } from "./read.js"

const told = ({ functions, problems }: Introspected): unknown => ({
  functions: functions.map(({ description, entry, inputSchema, name, passing, place }) => ({
    name,
    entry,
    description,
    passing,
    place: `${place.line}:${place.column}`,
    inputSchema
  })),
  problems: problems.map(report)
})

const scripts = [
  ["typescript/types.ts", "agent"],
  ["javascript/object.js", "tool"],
  ["javascript/tools.cjs", "agent"],
  ["javascript/members.cjs", "agent"],
  ["javascript/destructured.mjs", "tool"],
  ["javascript/named.mjs", "tool"]
] as const

it.effect.each(scripts)("%s has the functions, schemas and warnings of the file beside it", ([path, kind]) =>
  Effect.map(readFixture(path, kind), (introspected) => {
    expect(told(introspected)).toEqual(JSON.parse(fixture(path.replace(/\.\w+$/, ".json"))))
  })
)

it.effect.each(scripts)("core reads every schema of %s as it stands", ([path, kind]) =>
  Effect.gen(function* () {
    const { functions } = yield* readFixture(path, kind)
    for (const { inputSchema } of functions) {
      const { normalisations } = yield* JsonSchema.compile(inputSchema)
      expect(normalisations).toEqual([])
    }
  })
)

it.effect("the demo tool of Loki has all of its parameters, with the defaults and nulls that Loki loses", () =>
  Effect.map(readFixture("typescript/demo_ts.ts", "tool"), ({ functions, problems }) => {
    expect(problems).toEqual([])
    expect(functions).toHaveLength(1)
    expect(functions[0]).toMatchObject({
      name: "demo_ts",
      entry: "run",
      description: "Echoes one parameter of every kind.",
      passing: "named",
      inputSchema: JSON.parse(fixture("typescript/demo_ts.json"))
    })
    expect(functions[0]?.parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(
      JSON.parse(fixture("typescript/demo_ts.json")).required
    )
  })
)

interface Declaration {
  readonly name: string
  readonly description: string
  readonly parameters: {
    readonly properties: { readonly [name: string]: { readonly description: string } }
  }
}

const corpus = resolve(
  fileURLToPath(new URL("../../../..", import.meta.url)),
  process.env["WIELD_CORPUS"] ?? "../shared/corpus"
)

/** What is declared there; the words are theirs, and stay where they are. */
const golden = (name: string): ReadonlyArray<Declaration> =>
  JSON.parse(readFileSync(resolve(corpus, "llm-functions/golden", name), "utf8"))

/** The types of the parameters, as a script of llm-functions writes them. */
const equivalents = [
  [
    "demo_js.js.json",
    "demo_js.js",
    "tool",
    {
      demo_js: {
        string: "{string} string",
        string_enum: "{'foo'|'bar'} string_enum",
        string_optional: "{string} [string_optional]",
        boolean: "{boolean} boolean",
        integer: "{Integer} integer",
        number: "{number} number",
        array: "{string[]} array",
        array_optional: "{string[]} [array_optional]"
      }
    }
  ],
  ["execute_js_code.js.json", "execute_js_code.js", "tool", { execute_js_code: { code: "{string} code" } }],
  ["agent-demo.js.json", "tools.js", "agent", { get_ipinfo: {} }],
  [
    "agent-json-viewer.js.json",
    "tools.js",
    "agent",
    { print_json: { json_file_path: "{string} json_file_path", jq_expr: "{string} jq_expr" } }
  ]
] as const

const scriptOf = (
  declarations: ReadonlyArray<Declaration>,
  types: { readonly [name: string]: { readonly [property: string]: string } },
  kind: "tool" | "agent"
): string =>
  declarations
    .map(({ description, name, parameters }) => {
      const properties = Object.entries(types[name] ?? {}).map(
        ([property, written]) => ` * @property ${written} - ${parameters.properties[property]?.description}`
      )
      const typedef =
        properties.length === 0 ? [] : [" * @typedef {Object} Args", ...properties, " * @param {Args} args"]
      const entry = kind === "tool" ? "run" : name
      return ["/**", ` * ${description}`, ...typedef, " */", `exports.${entry} = async function (args) {}`].join("\n")
    })
    .join("\n\n")

describe.skipIf(!existsSync(resolve(corpus, "llm-functions")))(
  "the declarations of llm-functions (skipped where the corpus is absent)",
  () => {
    it.effect.each(equivalents)("%s is reproduced from an equivalent script", ([name, file, kind, types]) =>
      Effect.gen(function* () {
        const expected = golden(name)
        const { functions, problems } = yield* read(scriptOf(expected, types, kind), file, kind)
        expect(problems).toEqual([])
        expect(
          functions.map(({ description, inputSchema, name }) => ({ name, description, parameters: inputSchema }))
        ).toEqual(expected)
      })
    )
  }
)
