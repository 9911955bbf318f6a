import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fixture, read } from "./read.js"

const corpus = resolve(
  fileURLToPath(new URL("../../../..", import.meta.url)),
  process.env["WIELD_CORPUS"] ?? "../shared/corpus"
)
const golden = (name: string): unknown =>
  JSON.parse(readFileSync(resolve(corpus, "llm-functions/golden", name), "utf8"))

/** The older declarations say neither that a value may be null nor its default. */
const inOldWords = (schema: { readonly [keyword: string]: unknown }): { readonly [keyword: string]: unknown } =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === "default") return []
      return [[keyword, keyword === "type" && Array.isArray(value) ? value.find((one) => one !== "null") : value]]
    })
  )

describe.skipIf(!existsSync(resolve(corpus, "llm-functions")))(
  "the declarations of llm-functions (skipped where the corpus is absent)",
  () => {
    it.effect.each([
      ["demo_py.py.json", "llm_demo_py.py", "demo_py.py", "tool"],
      ["execute_py_code.py.json", "execute_py_code.py", "execute_py_code.py", "tool"],
      ["agent-demo.py.json", "tools.py", "tools.py", "agent"]
    ] as const)("%s is reproduced from an equivalent script", ([name, script, file, kind]) =>
      Effect.map(read(fixture(script), kind, file), ({ functions, problems }) => {
        const declarations = functions.map(({ description, inputSchema, name, parameters }) => ({
          name,
          description,
          parameters: {
            ...inputSchema,
            properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, inOldWords(schema)]))
          }
        }))
        expect(declarations).toEqual(golden(name))
        expect(problems).toEqual([])
      })
    )
  }
)

it.effect("the demo tool of Loki has all of its parameters, with the defaults and nulls that Loki loses", () =>
  Effect.map(read(fixture("demo_py.py"), "tool", "functions/tools/demo_py.py"), ({ functions, problems }) => {
    expect(problems).toEqual([])
    expect(functions.map(({ inputSchema, ...rest }) => ({ ...rest, parameters: undefined, inputSchema }))).toEqual([
      {
        name: "demo_py",
        entry: "run",
        description: "Echoes one parameter of every kind.",
        passing: "named",
        place: { line: 4, column: 1 },
        parameters: undefined,
        inputSchema: {
          type: "object",
          properties: {
            string: { type: "string", description: "Any text" },
            string_enum: { type: "string", enum: ["foo", "bar"], description: "One of two texts" },
            boolean: { type: "boolean", description: "Yes or no" },
            integer: { type: "integer", description: "A whole number" },
            number: { type: "number", description: "A number" },
            array: { type: "array", items: { type: "string" }, description: "Several texts" },
            string_optional: { type: ["string", "null"], description: "A text, or nothing", default: null },
            integer_with_default: { type: "integer", description: "A whole number, 42 unless given", default: 42 },
            boolean_with_default: { type: "boolean", description: "Yes or no, yes unless given", default: true },
            number_with_default: { type: "number", description: "A number, 3.14 unless given", default: 3.14 },
            string_with_default: { type: "string", description: "A text, hello unless given", default: "hello" },
            array_optional: {
              type: ["array", "null"],
              items: { type: "string" },
              description: "Several texts, or nothing",
              default: null
            }
          },
          required: ["string", "string_enum", "boolean", "integer", "number", "array"]
        }
      }
    ])
  })
)
