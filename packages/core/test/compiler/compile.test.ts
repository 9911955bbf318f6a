import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Option, ParseResult, Schema } from "effect"
import { compile } from "../../src/compiler/compile.js"
import { failed } from "../../src/compiler/Emitter.js"
import { decoder } from "../../src/internal/codec.js"
import { inputs, schema } from "./schemas.js"
import { runs, sized } from "../../../../test/sizes.js"

/** What a conversion does with a value: an answer, `failed`, or what it throws. */
const attempt = (convert: () => unknown): unknown => {
  try {
    return convert()
  } catch {
    return failed
  }
}

const interpret = (of: Schema.Schema<unknown, unknown>, direction: "decode" | "encode", excess: "ignore" | "error") => {
  const options = { errors: "all", onExcessProperty: excess } as const
  const parse = direction === "decode" ? ParseResult.decodeUnknown(of, options) : ParseResult.encodeUnknown(of, options)
  return (value: unknown): unknown => {
    const result = parse(value)
    return Either.isEither(result) && Either.isRight(result) ? result.right : failed
  }
}

describe("compile", () => {
  for (const direction of ["decode", "encode"] as const) {
    for (const excess of ["ignore", "error"] as const) {
      it(`accepts what the interpreter accepts and gives equal values (${direction}, ${excess})`, () => {
        let accepted = 0
        FastCheck.assert(
          FastCheck.property(FastCheck.integer(), (seed) => {
            const [of] = FastCheck.sample(schema, { numRuns: 1, seed })
            if (of === undefined) return
            const compiled = Option.getOrThrow(compile(of.ast, direction, excess))
            const interpreted = interpret(of, direction, excess)
            const side = direction === "decode" ? Schema.encodedSchema(of) : Schema.typeSchema(of)
            for (const value of FastCheck.sample(inputs(side), { numRuns: 5, seed })) {
              const expected = attempt(() => interpreted(value))
              const actual = attempt(() => compiled(value))
              // Giving up is always right: the interpreter answers then.
              if (actual === failed) continue
              assert.deepStrictEqual(actual, expected)
              accepted++
            }
          }),
          { numRuns: runs(150) }
        )
        // Or giving up on everything would pass.
        expect(accepted).toBeGreaterThan(sized(0, 100))
      })
    }
  }

  it("keeps the order of the schema's properties, as the interpreter does", () => {
    const of = Schema.Struct({ b: Schema.optional(Schema.Number), a: Schema.String, c: Schema.Number })
    const compiled = Option.getOrThrow(compile(of.ast, "decode", "ignore"))
    expect(JSON.stringify(compiled({ c: 1, a: "x", b: 2 }))).toBe('{"b":2,"a":"x","c":1}')
  })

  it("gives a new array and a new object, so that a handler may change them", () => {
    const of = Schema.Struct({ items: Schema.Array(Schema.String) })
    const sent = { items: ["a"] }
    const given = Option.getOrThrow(compile(of.ast, "decode", "ignore"))(sent) as typeof sent
    given.items.push("b")
    expect(sent).toEqual({ items: ["a"] })
  })

  it("tries a member of a union that falls back before null and undefined, as the interpreter does", () => {
    const fallingBack = Schema.String.annotations({ decodingFallback: () => Either.right("otherwise") })
    const of = Schema.Struct({ a: Schema.NullOr(fallingBack), b: Schema.UndefinedOr(fallingBack) })
    const input = { a: null, b: undefined }
    const expected = Schema.decodeUnknownSync(of)(input)
    expect(expected).toEqual({ a: "otherwise", b: "otherwise" })
    expect(Option.getOrThrow(compile(of.ast, "decode", "ignore"))(input)).toEqual(expected)
  })

  it("leaves effectful schemas to the interpreter", () => {
    const of = Schema.transformOrFail(Schema.String, Schema.Number, {
      strict: true,
      decode: (text) => Effect.promise(() => Promise.resolve(Number(text))),
      encode: (number) => ParseResult.succeed(String(number))
    })
    const compiled = Option.getOrThrow(compile(of.ast, "decode", "ignore"))
    expect(compiled("1")).toBe(failed)
  })

  it("does not let a key of a record set the prototype", () => {
    const of = Schema.Record({ key: Schema.String, value: Schema.Unknown })
    const compiled = Option.getOrThrow(compile(of.ast, "decode", "ignore"))
    expect(compiled(JSON.parse('{"__proto__":{"isAdmin":true}}'))).toBe(failed)
  })

  it("gives the interpreter's answers where code generation is forbidden", () => {
    const original = globalThis.Function
    const of = Schema.Struct({ n: Schema.NumberFromString })
    try {
      globalThis.Function = class {
        constructor() {
          throw new EvalError("Code generation from strings disallowed for this context")
        }
      } as unknown as FunctionConstructor
      expect(compile(of.ast, "decode", "ignore")).toEqual(Option.none())
      const decode = decoder(of, "ignore")
      expect(Effect.runSync(decode({ n: "1" }))).toEqual({ n: 1 })
    } finally {
      globalThis.Function = original
    }
  })
})
