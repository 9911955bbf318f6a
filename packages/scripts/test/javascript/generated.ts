/** Types made at random: how they are written, the schema they must have, and values that fit them or do not. */
import type { Json } from "@wield/core"
import { FastCheck as fc } from "effect"

export interface GeneratedType {
  /** How it is written; `declare` names a declaration of the file. */
  readonly write: (declare: Declare) => string
  readonly schema: Json.JsonSchema
  readonly valid: fc.Arbitrary<Json.Json>
  readonly invalid: fc.Arbitrary<Json.Json>
}

/** Gets what follows the name in a declaration (`= string[]`, ` { a: string }`), and its keyword; gives the name. */
export type Declare = (keyword: "type" | "interface", body: string) => string

const quoted = (text: string): string => JSON.stringify(text)

const simple = (
  name: string,
  valid: fc.Arbitrary<Json.Json>,
  invalid: fc.Arbitrary<Json.Json>
): fc.Arbitrary<GeneratedType> => fc.constant({ write: () => name, schema: { type: name }, valid, invalid })

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
const text = fc.fullUnicodeString({ maxLength: 8 })

const strings = simple("string", text, fc.oneof(number, fc.boolean(), fc.constant(null)))
const numbers = simple("number", number, fc.oneof(text, fc.boolean(), fc.constant(null)))
const booleans = simple("boolean", fc.boolean(), fc.oneof(text, number, fc.constant(null)))

const stringLiterals = fc.uniqueArray(text, { minLength: 1, maxLength: 4 }).map((values): GeneratedType => ({
  write: () => `(${values.map(quoted).join(" | ")})`,
  schema: { type: "string", enum: values },
  valid: fc.constantFrom(...values),
  invalid: fc.oneof(
    number,
    text.filter((value) => !values.includes(value))
  )
}))

const numberLiterals = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 4 }).map((values): GeneratedType => ({
  write: () => `(${values.join(" | ")})`,
  schema: { type: "number", enum: values },
  valid: fc.constantFrom(...values),
  invalid: fc.oneof(
    text,
    fc.integer().filter((value) => !values.includes(value))
  )
}))

const arrayOf = (items: GeneratedType, spelling: number): GeneratedType => ({
  write: (declare) => {
    const inner = items.write(declare)
    return [`(${inner})[]`, `Array<${inner}>`, `ReadonlyArray<${inner}>`, `readonly (${inner})[]`][spelling] ?? ""
  },
  schema: { type: "array", items: items.schema },
  valid: fc.array(items.valid, { maxLength: 3 }),
  invalid: fc.oneof(
    text,
    fc.tuple(fc.array(items.valid, { maxLength: 2 }), items.invalid).map(([before, last]) => [...before, last])
  )
})

const tupleOf = (elements: ReadonlyArray<GeneratedType>): GeneratedType => ({
  write: (declare) => `[${elements.map(({ write }) => write(declare)).join(", ")}]`,
  schema: {
    type: "array",
    prefixItems: elements.map(({ schema }) => schema),
    items: false,
    minItems: elements.length
  },
  valid: fc.tuple(...elements.map(({ valid }) => valid)),
  invalid: fc.oneof(
    fc.constant([]),
    fc.tuple(...elements.map(({ valid }) => valid)).map((values) => [...values, "one too many"]),
    fc.tuple(...elements.map(({ invalid }) => invalid))
  )
})

const recordOf = (values: GeneratedType): GeneratedType => ({
  write: (declare) => `Record<string, ${values.write(declare)}>`,
  schema: { type: "object", additionalProperties: values.schema },
  valid: fc.dictionary(text, values.valid, { maxKeys: 3 }),
  invalid: fc.oneof(
    text,
    fc.tuple(text, values.invalid).map(([name, value]) => Object.fromEntries([[name, value]]))
  )
})

interface Member {
  readonly name: string
  readonly type: GeneratedType
  readonly isOptional: boolean
}

const objectOf = (members: ReadonlyArray<Member>, spelling: number): GeneratedType => {
  const required = members.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  const entry = ({ isOptional, name, type }: Member) =>
    (isOptional ? fc.option(type.valid, { nil: undefined }) : type.valid).map((value) => [name, value] as const)
  const valid = fc
    .tuple(...members.map(entry))
    .map((entries): Json.Json =>
      Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
    )
  return {
    write: (declare) => {
      const body = `{ ${members
        .map(({ isOptional, name, type }) => `${quoted(name)}${isOptional ? "?" : ""}: ${type.write(declare)}`)
        .join("; ")} }`
      if (spelling === 0) return body
      return spelling === 1 ? declare("interface", ` ${body}`) : declare("type", ` = ${body}`)
    },
    schema: {
      type: "object",
      properties: Object.fromEntries(members.map(({ name, type }) => [name, type.schema])),
      ...(required.length === 0 ? {} : { required })
    },
    valid,
    invalid: fc.oneof(
      text,
      fc.constant([]),
      ...members.map(({ name, type }) =>
        fc
          .tuple(valid, type.invalid)
          .map(([value, wrong]) =>
            Object.fromEntries([...Object.entries(value ?? {}).filter(([other]) => other !== name), [name, wrong]])
          )
      )
    )
  }
}

const nullable = (type: GeneratedType): GeneratedType => {
  const { enum: values, ...rest } = type.schema
  return {
    write: (declare) => `(${type.write(declare)} | null)`,
    schema: {
      ...rest,
      type: [rest["type"], "null"],
      ...(Array.isArray(values) ? { enum: [...values, null] } : {})
    },
    valid: fc.oneof(type.valid, fc.constant(null)),
    invalid: type.invalid.filter((value) => value !== null)
  }
}

/** Told apart by a property of a literal type, so that a value of one fits no other. */
const variants = (types: ReadonlyArray<GeneratedType>): GeneratedType => {
  const members = types.map((type, index) =>
    objectOf(
      [
        {
          name: "kind",
          isOptional: false,
          type: {
            write: () => quoted(`kind ${index}`),
            schema: { type: "string", enum: [`kind ${index}`] },
            valid: fc.constant(`kind ${index}`),
            invalid: fc.constant("no kind")
          }
        },
        { name: "value", isOptional: false, type }
      ],
      0
    )
  )
  return {
    write: (declare) => members.map(({ write }) => write(declare)).join(" | "),
    schema: { anyOf: members.map(({ schema }) => schema) },
    valid: fc.oneof(...members.map(({ valid }) => valid)),
    invalid: fc.oneof(...members.map(({ invalid }) => invalid))
  }
}

const leaf = fc.oneof(strings, numbers, booleans, stringLiterals, numberLiterals)

const propertyName = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "kebab-case", "0", "description"))

/** Types within types, to the given depth. */
export const typeOf = (depth: number): fc.Arbitrary<GeneratedType> => {
  if (depth === 0) return leaf
  const inner = typeOf(depth - 1)
  const plain = fc.oneof(
    leaf,
    fc.tuple(inner, fc.nat(3)).map(([items, spelling]) => arrayOf(items, spelling)),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map(tupleOf),
    inner.map(recordOf),
    fc
      .tuple(
        fc.uniqueArray(fc.record({ name: propertyName, type: inner, isOptional: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
          selector: ({ name }) => name
        }),
        fc.nat(2)
      )
      .map(([members, spelling]) => objectOf(members, spelling))
  )
  return fc.oneof(
    { weight: 5, arbitrary: plain },
    { weight: 2, arbitrary: plain.map(nullable) },
    { weight: 1, arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map(variants) }
  )
}
