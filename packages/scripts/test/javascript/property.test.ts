import { expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, FastCheck as fc } from "effect"
import { runs } from "../../../../test/sizes.js"
import { introspectJavaScript } from "../../src/javascript/introspect.js"
import { type Declare, type GeneratedType, typeOf } from "./generated.js"

/** A file whose `run` takes the types in their order, declarations before it. */
const fileOf = (types: ReadonlyArray<GeneratedType>, after: (index: number) => string = () => ""): string => {
  const declarations: Array<string> = []
  const declare: Declare = (keyword, body) => {
    const name = `Named${declarations.length}`
    // The place of a nested one is taken while the outer one is being written.
    declarations.push(`${keyword} ${name}${body}`)
    return name
  }
  const parameters = types.map(({ write }, index) => `p${index}: ${write(declare)}${after(index)}`)
  return [...declarations, "/** Takes what was made. */", `export function run(${parameters.join(", ")}) {}`].join("\n")
}

const introspect = (text: string) =>
  Effect.flatMap(introspectJavaScript, (read) => read({ file: "made.ts", text, kind: "tool" }))

/** What declares `T | null` need not be sent. */
const isNullable = ({ schema }: GeneratedType): boolean => Array.isArray(schema["type"])

it.effect.prop(
  "a signature of types made at random has exactly the schema of those types",
  [fc.array(typeOf(3), { minLength: 1, maxLength: 4 })],
  ([types]) =>
    Effect.map(introspect(fileOf(types)), ({ functions, problems }) => {
      const required = types.flatMap((type, index) => (isNullable(type) ? [] : [`p${index}`]))
      expect(problems).toEqual([])
      expect(functions[0]?.inputSchema).toEqual({
        type: "object",
        properties: Object.fromEntries(types.map(({ schema }, index) => [`p${index}`, schema])),
        ...(required.length === 0 ? {} : { required })
      })
    }),
  { fastCheck: { numRuns: runs(300) } }
)

const typeWithValues = typeOf(2).chain((type) =>
  fc.record({
    type: fc.constant(type),
    valid: fc.array(type.valid, { minLength: 5, maxLength: 5 }),
    invalid: fc.array(type.invalid, { minLength: 5, maxLength: 5 })
  })
)

it.effect.prop(
  "values of a type are accepted, and values made wrong in one place are not",
  [typeWithValues],
  ([{ invalid, type, valid }]) =>
    Effect.gen(function* () {
      const { functions } = yield* introspect(fileOf([type]))
      const validator = yield* JsonSchema.compile(functions[0]?.inputSchema ?? { not: {} })
      for (const value of valid) expect([value, validator.isValid({ p0: value })]).toEqual([value, true])
      for (const value of invalid) expect([value, validator.isValid({ p0: value })]).toEqual([value, false])
    }),
  { fastCheck: { numRuns: runs(150) } }
)

const typeWithDefault = typeOf(2).chain((type) => fc.record({ type: fc.constant(type), value: type.valid }))

it.effect.prop(
  "a default that is a literal is told as it is written",
  [typeWithDefault],
  ([{ type, value }]) =>
    Effect.map(introspect(fileOf([type], () => ` = ${JSON.stringify(value)}`)), ({ functions, problems }) => {
      expect(problems).toEqual([])
      expect(functions[0]?.parameters).toEqual([
        { name: "p0", schema: { ...type.schema, default: value }, isRequired: false }
      ])
    }),
  { fastCheck: { numRuns: runs(150) } }
)
