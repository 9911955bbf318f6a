/**
 * Schemas of every kind that the compiler knows, made at random, and values
 * that fit them, nearly fit them, or do not.
 */
import { Arbitrary, FastCheck, Schema } from "effect"

/** Both sides unknown: what is generated has no static type. */
type Any = Schema.Schema<unknown, unknown>

const any = (schema: { readonly ast: Schema.Schema.All["ast"] }): Any => Schema.make(schema.ast)

class Point extends Schema.Class<Point>("Point")({ x: Schema.Number, y: Schema.Number }) {}

class Event extends Schema.TaggedClass<Event>()("Event", { at: Schema.Date }) {}

enum Fruit {
  Apple,
  Pear
}

const leaves: ReadonlyArray<Any> = [
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Null,
  Schema.Undefined,
  Schema.Unknown,
  Schema.Any,
  Schema.Void,
  Schema.Object,
  Schema.Literal("a"),
  Schema.Literal("a", "b", 1, null, true),
  Schema.Enums(Fruit),
  Schema.TemplateLiteral("id-", Schema.Number),
  Schema.Int,
  Schema.Int.pipe(Schema.between(1, 9)),
  Schema.NonEmptyTrimmedString,
  Schema.String.pipe(Schema.maxLength(3)),
  Schema.NumberFromString,
  Schema.Trim,
  Schema.Date,
  Schema.BigInt,
  Schema.JsonNumber,
  Schema.parseJson(Schema.Struct({ a: Schema.Number })),
  Schema.Option(Schema.Number),
  Schema.DateFromSelf,
  Point,
  Event,
  Schema.String.pipe(Schema.brand("Id")),
  Schema.Struct({})
].map(any)

const tree: Any = any(
  Schema.Struct({
    value: Schema.NumberFromString,
    children: Schema.Array(Schema.suspend((): Any => tree))
  })
)

const names = ["a", "b", "c", "_tag", "length"]

/** A struct's property: required, optional, with a default, under another name, as an option. */
const property = (schema: Any, kind: number): Schema.PropertySignature.All | Any => {
  switch (kind) {
    case 0:
      return Schema.optional(schema)
    case 1:
      return Schema.optionalWith(schema, { exact: true })
    case 2:
      return Schema.optionalWith(schema, { as: "Option" })
    case 3:
      return Schema.optionalWith(Schema.Number, { default: () => 7 })
    case 4:
      return Schema.propertySignature(schema).pipe(Schema.fromKey("other"))
    case 5:
      return Schema.optionalWith(schema, { nullable: true })
    default:
      return schema
  }
}

type Properties = ReadonlyArray<readonly [name: string, schema: Any, kind: number]>

const struct = (properties: Properties): Any =>
  any(
    Schema.Struct(
      Object.fromEntries(
        // Only one property may come from the key "other".
        properties.map(([name, inner, kind], index) => [name, property(inner, kind === 4 && index > 0 ? 9 : kind)])
      )
    )
  )

const taggedUnion = (tags: ReadonlyArray<string>): Any =>
  any(Schema.Union(...tags.map((tag) => Schema.TaggedStruct(tag, { value: Schema.NumberFromString }))))

/** A random schema. */
export const schema: FastCheck.Arbitrary<Any> = FastCheck.letrec<{ schema: Any }>((tie) => {
  const inner = tie("schema")
  const fields = FastCheck.tuple(FastCheck.constantFrom(...names), inner, FastCheck.integer({ min: 0, max: 12 }))
  return {
    schema: FastCheck.oneof(
      { maxDepth: 3, withCrossShrink: true },
      FastCheck.constantFrom(...leaves, tree),
      FastCheck.array(fields, { maxLength: 4 }).map(struct),
      inner.map((item) => any(Schema.Array(item))),
      inner.map((item) => any(Schema.NonEmptyArray(item))),
      FastCheck.tuple(inner, inner).map(([left, right]) => any(Schema.Tuple(left, Schema.optionalElement(right)))),
      FastCheck.tuple(inner, inner).map(([left, right]) => any(Schema.Tuple([left], right))),
      inner.map((value) => any(Schema.Record({ key: Schema.String, value }))),
      inner.map((value) => any(Schema.Struct({ a: value }, { key: Schema.String, value: Schema.Unknown }))),
      FastCheck.array(inner, { minLength: 2, maxLength: 4 }).map((members) => any(Schema.Union(...members))),
      FastCheck.uniqueArray(FastCheck.constantFrom("a", "b", "c"), { minLength: 1 }).map(taggedUnion),
      inner.map((member) => any(Schema.NullOr(member))),
      inner.map((member) => any(Schema.UndefinedOr(member))),
      inner.map((from) => any(from.pipe(Schema.filter((value) => value !== 1 && value !== true)))),
      inner.map((from) => any(Schema.compose(from, Schema.typeSchema(from)))),
      inner.map((from) => any(from.annotations({ parseOptions: { onExcessProperty: "error" } })))
    )
  }
}).schema

const loose = FastCheck.oneof(
  FastCheck.jsonValue(),
  FastCheck.constantFrom<unknown>(
    undefined,
    1n,
    Number.NaN,
    "1",
    "id-3",
    "a",
    new Date(0),
    new Point({ x: 1, y: 2 }),
    Symbol.iterator
  ),
  FastCheck.dictionary(FastCheck.constantFrom(...names, "other", "value", "children"), FastCheck.jsonValue())
)

const changed = (value: unknown, other: unknown, path: ReadonlyArray<number>): unknown => {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== "object" || value === null) return other
  const keys = Object.keys(value)
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return { extra: other }
  const copy: Record<string, unknown> | Array<unknown> = Array.isArray(value) ? [...value] : { ...value }
  if (step % 5 === 0) delete (copy as Record<string, unknown>)[key]
  else (copy as Record<string, unknown>)[key] = changed((value as Record<string, unknown>)[key], other, rest)
  return copy
}

/** Values for one side of a schema: some that fit, some that fit but for one place, some of anything. */
export const inputs = (of: Any): FastCheck.Arbitrary<unknown> => {
  const fitting = arbitraryOf(of)
  const place = FastCheck.array(FastCheck.nat(20), { maxLength: 3 })
  return fitting === undefined
    ? loose
    : FastCheck.oneof(
        { arbitrary: fitting, weight: 3 },
        {
          arbitrary: FastCheck.tuple(fitting, loose, place).map(([value, other, path]) => changed(value, other, path)),
          weight: 3
        },
        { arbitrary: loose, weight: 1 }
      )
}

/** None where a random filter leaves nothing to choose from. */
const arbitraryOf = (of: Any): FastCheck.Arbitrary<unknown> | undefined => {
  try {
    const arbitrary = Arbitrary.make(of)
    FastCheck.sample(arbitrary, { numRuns: 2, seed: 1 })
    return arbitrary
  } catch {
    return undefined
  }
}
