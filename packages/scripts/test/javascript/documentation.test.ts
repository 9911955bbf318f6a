import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { report } from "@wield/core/Problem"
import { read } from "./read.js"

const parametersOf = (text: string, file?: string) =>
  Effect.map(read(text, file), ({ functions, problems }) => ({
    description: functions[0]?.description,
    passing: functions[0]?.passing,
    parameters: Object.fromEntries(functions[0]?.parameters.map(({ name, schema }) => [name, schema]) ?? []),
    required: functions[0]?.parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    problems: problems.map(report)
  }))

it.effect("the description is the text before the first tag, lines and lists kept", () =>
  Effect.map(
    parametersOf(
      "/**\r\n * First line.\r\n *\r\n * - a list, of a@b.c\r\n *\r\n * @param city Where\r\n * @returns nothing */\r\nexport function run(city: string) {}"
    ),
    ({ description, parameters }) => {
      expect(description).toBe("First line.\n\n- a list, of a@b.c")
      expect(parameters).toEqual({ city: { type: "string", description: "Where" } })
    }
  )
)

it.effect("of several comments the last one is the function's", () =>
  Effect.map(
    parametersOf(
      "/** The licence of the file. */\n\n/** Tells the weather. */\n// and a note\nexport function run() {}"
    ),
    ({ description }) => expect(description).toBe("Tells the weather.")
  )
)

it.effect("@description stands in for text before the tags", () =>
  Effect.map(parametersOf("/** @description Tells the weather. */\nexport function run() {}"), ({ description }) =>
    expect(description).toBe("Tells the weather.")
  )
)

it.effect("the description of a parameter goes on over several lines", () =>
  Effect.map(
    parametersOf(
      "/** Tells.\n * @param city - Where\n *   it is,\n *   in English.\n * @param days How many. */\nexport function run(city: string, days: number) {}"
    ),
    ({ parameters }) =>
      expect(parameters).toEqual({
        city: { type: "string", description: "Where\nit is,\nin English." },
        days: { type: "number", description: "How many." }
      })
  )
)

it.effect("the type in a comment gives way to the declaration's, but makes a number whole", () =>
  Effect.map(
    parametersOf(
      "/** Tells.\n * @param {integer} days\n * @param {number} city\n * @param {int[]} hours */\nexport function run(days: number | null, city: string, hours: number[]) {}"
    ),
    ({ parameters }) =>
      expect(parameters).toEqual({
        days: { type: ["integer", "null"] },
        city: { type: "string" },
        hours: { type: "array", items: { type: "integer" } }
      })
  )
)

it.effect("tags of members and parameters are keywords", () =>
  Effect.map(
    parametersOf(`
interface Options {
  /**
   * How many.
   * @minimum 1
   * @exclusiveMaximum 10.5
   * @multipleOf 0.5
   * @default 3
   */
  count?: number
  /** @pattern ^[a-z]+$ @maxLength 5 */
  word: string
  /**
   * @minItems 1
   * @uniqueItems
   * @example ["a"]
   * @example ["b", "c"]
   */
  list: string[]
  /** @format uuid
   * @title Id
   * @deprecated use word */
  id?: string
}
/** Tells. */
export function run(options: Options, /** Where. @format uri */ link: string) {}`),
    ({ parameters, problems }) => {
      expect(problems).toEqual([])
      expect(parameters).toEqual({
        options: {
          type: "object",
          properties: {
            count: {
              type: "number",
              description: "How many.",
              minimum: 1,
              exclusiveMaximum: 10.5,
              multipleOf: 0.5,
              default: 3
            },
            word: { type: "string", pattern: "^[a-z]+$", maxLength: 5 },
            list: {
              type: "array",
              items: { type: "string" },
              minItems: 1,
              uniqueItems: true,
              examples: [["a"], ["b", "c"]]
            },
            id: { type: "string", format: "uuid", title: "Id", deprecated: true }
          },
          required: ["word", "list"]
        },
        link: { type: "string", description: "Where.", format: "uri" }
      })
    }
  )
)

it.effect("a tag whose text is no value of its keyword is left out, with a warning", () =>
  Effect.map(
    parametersOf(`
interface Options {
  /** @minimum few */
  count: number
  /** @pattern [ */
  word: string
  /** @minLength -1 */
  text: string
}
/** Tells. */
export function run(options: Options) {}`),
    ({ parameters, problems }) => {
      expect(parameters).toMatchObject({
        options: { properties: { count: { type: "number" }, word: { type: "string" }, text: { type: "string" } } }
      })
      expect(problems).toEqual([
        "weather.ts:3:7: warning: @minimum few is left out: it is no value that `minimum` can have",
        "weather.ts:5:7: warning: @pattern [ is left out: it is no value that `pattern` can have",
        "weather.ts:7:7: warning: @minLength -1 is left out: it is no value that `minLength` can have"
      ])
    }
  )
)

it.effect("defaults in brackets need no quotes, and may hold brackets", () =>
  Effect.map(
    parametersOf(
      `/** Tells.
 * @param {string} [greeting=it's me] - What is said
 * @param {string[]} [tags=["a]", "b"]] - Which
 *   of all
 * @param {number} [limit=-2.5]
 * @param {boolean} [isLoud=true] - How
 * @param {Object} [options={ "a": [1] }] - More */
export function run(greeting, tags, limit, isLoud, options) {}`,
      "weather.js"
    ),
    ({ parameters, problems, required }) => {
      expect(problems).toEqual([])
      expect(required).toEqual([])
      expect(parameters).toEqual({
        greeting: { type: "string", description: "What is said", default: "it's me" },
        tags: { type: "array", items: { type: "string" }, description: "Which\nof all", default: ["a]", "b"] },
        limit: { type: "number", default: -2.5 },
        isLoud: { type: "boolean", description: "How", default: true },
        options: { type: "object", description: "More", default: { a: [1] } }
      })
    }
  )
)

it.effect("several documented parameters of a JavaScript function are given one by one", () =>
  Effect.map(
    parametersOf(
      "/** Tells.\n * @param {string} city\n * @param {number} days */\nexport function run(city, days) {}",
      "a.js"
    ),
    ({ passing, required }) => expect([passing, required]).toEqual(["named", ["city", "days"]])
  )
)

it.effect(
  "one documented value of a JavaScript function is given as it is, one documented object by its properties",
  () =>
    Effect.gen(function* () {
      const value = yield* parametersOf("/** Tells. @param {string} city */\nexports.run = (city) => city", "a.js")
      expect([value.passing, value.required]).toEqual(["named", ["city"]])
      const object = yield* parametersOf(
        "/** Tells.\n * @param {Object} args\n * @param {string} args.city - Where */\nexport function run(args) {}",
        "a.js"
      )
      expect([object.passing, object.parameters]).toEqual([
        "object",
        { city: { type: "string", description: "Where" } }
      ])
    })
)

it.effect("an object of TypeScript stays one parameter", () =>
  Effect.map(
    parametersOf("interface Args { city: string }\n/** Tells. */\nexport function run(args: Args) {}"),
    ({ parameters, passing }) => {
      expect(passing).toBe("named")
      expect(parameters).toEqual({
        args: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      })
    }
  )
)

it.effect("a parameter whose type has null need not be sent, and neither do null and undefined together", () =>
  Effect.map(
    parametersOf(
      "type Maybe = string | null\n/** Tells. */\nexport function run(a: Maybe, b: number | null | undefined, c: unknown) {}"
    ),
    ({ parameters, required }) => {
      expect(required).toEqual(["c"])
      expect(parameters).toEqual({ a: { type: ["string", "null"] }, b: { type: ["number", "null"] }, c: {} })
    }
  )
)

it.effect("@param of properties describe them also where nothing is said of the whole", () =>
  Effect.gen(function* () {
    const comment =
      "/** Tells.\n * @param {string} place.city Where\n * @param {number} place.at.x: East\n * @param {string} gone.x None\n */\n"
    const inTypeScript = yield* parametersOf(
      `${comment}export function run(place: { city: string; at: { x: number } }) {}`
    )
    expect(inTypeScript.parameters).toEqual({
      place: {
        type: "object",
        properties: {
          city: { type: "string", description: "Where" },
          at: { type: "object", properties: { x: { type: "number", description: "East" } }, required: ["x"] }
        },
        required: ["city", "at"]
      }
    })
    expect(inTypeScript.problems).toEqual([
      "weather.ts:4:4: warning: the comment describes gone, which run has no parameter of; name it as the code does, or take it out"
    ])
    const inJavaScript = yield* parametersOf(`${comment}export function run(place) {}`, "weather.mjs")
    expect(inJavaScript.passing).toBe("object")
    expect(inJavaScript.parameters).toEqual({
      city: { type: "string", description: "Where" },
      at: { type: "object", properties: { x: { type: "number", description: "East" } }, required: ["x"] }
    })
  })
)

it.effect("a parameter without a type has that of the enum or constant that its default names", () =>
  Effect.map(
    parametersOf(
      [
        'enum Color { Red = "red", Green = "green" }',
        'const limits = { most: 3, name: "x", on: true }',
        "const MAX = 5",
        "/** Tells. */",
        "export function run(a = Color.Red, b = limits.most, c = limits.name, d = limits.on, e = MAX, f = -MAX) {}"
      ].join("\n")
    ),
    ({ parameters, problems }) => {
      expect(parameters).toEqual({
        a: { type: "string", enum: ["red", "green"], default: "red" },
        b: { type: "number", default: 3 },
        c: { type: "string", default: "x" },
        d: { type: "boolean", default: true },
        e: { type: "number", default: 5 },
        f: { type: "number", default: -5 }
      })
      expect(problems).toEqual([])
    }
  )
)

it.effect("a type parameter without a bound is what it is unless said otherwise", () =>
  Effect.map(
    parametersOf("/** Tells. */\nexport function run<T = string, U extends number = 5>(a: T, b: U) {}"),
    ({ parameters }) => expect(parameters).toEqual({ a: { type: "string" }, b: { type: "number" } })
  )
)
