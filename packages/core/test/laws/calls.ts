/**
 * Arbitrary calls: names that exist and names that do not, arguments that fit,
 * that do not, and that are no JSON; and a toolset whose handlers do whatever
 * can go wrong.
 */
import { Tool, Toolkit } from "@effect/ai"
import { Hidden, ToolCall, Toolset } from "@wield/core"
import { Arbitrary, Effect, FastCheck, Schema } from "effect"
import { character } from "../../../../test/characters.js"

/** What a handler is told to do. */
export const Behaviour = Schema.Literal(
  "succeed",
  "wait",
  "fail",
  "die",
  "throw",
  "interrupt",
  "never",
  "nothing",
  "cycle",
  "bigint"
)

const parameters = { behaviour: Behaviour, text: Schema.optional(Schema.String) }

/** Tells its failures to the model. */
export const Act = Tool.make("act", {
  parameters,
  success: Schema.Unknown,
  failure: Schema.String,
  failureMode: "return"
})

/** Raises its failures. */
export const Raise = Tool.make("raise", { parameters, success: Schema.Unknown, failure: Schema.String })

/** Has a hidden field. */
export const Private = Tool.make("private", {
  parameters: { ...parameters, customerId: Schema.String },
  success: Schema.Unknown,
  failure: Schema.String,
  failureMode: "return"
}).pipe(Hidden.fields("customerId"))

export const Acting = Toolkit.make(Act, Raise, Private)

const cyclic = (): unknown => {
  const value: { self?: unknown } = {}
  value.self = value
  return value
}

export const behave = ({
  behaviour,
  text
}: {
  readonly behaviour: typeof Behaviour.Type
  readonly text?: string | undefined
}): Effect.Effect<unknown, string> => {
  switch (behaviour) {
    case "succeed":
      return Effect.succeed(text ?? "done")
    case "wait":
      return Effect.delay(Effect.succeed(text ?? "done"), "10 millis")
    case "fail":
      return Effect.fail(text ?? "failed")
    case "die":
      return Effect.zipRight(Effect.yieldNow(), Effect.die(new Error(text)))
    case "throw":
      throw new Error(text)
    case "interrupt":
      return Effect.interrupt
    case "never":
      return Effect.never
    case "nothing":
      return Effect.void
    case "cycle":
      return Effect.sync(cyclic)
    case "bigint":
      return Effect.succeed(1n)
  }
}

/** A toolset of the three tools. */
export const acting = Toolset.fromLayer(Acting, Acting.toLayer({ act: behave, raise: behave, private: behave }))

const names = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constantFrom("act", "raise", "private") },
  {
    weight: 2,
    arbitrary: FastCheck.constantFrom(
      "toString",
      "__proto__",
      "constructor",
      "hasOwnProperty",
      "valueOf",
      "ACT",
      "act ",
      ""
    )
  },
  { weight: 1, arbitrary: FastCheck.string({ unit: character }) }
)

const fitting = Arbitrary.make(Schema.Struct(parameters))

const json = FastCheck.oneof(
  { weight: 5, arbitrary: fitting },
  { weight: 1, arbitrary: FastCheck.jsonValue() },
  {
    weight: 1,
    arbitrary: FastCheck.dictionary(
      FastCheck.constantFrom("behaviour", "text", "__proto__", "constructor", "customerId", "CUSTOMERID"),
      FastCheck.jsonValue()
    )
  }
)

/** Text as a model may break it: cut off, fenced, with a comma too many. */
const broken = FastCheck.tuple(json, FastCheck.nat({ max: 40 })).map(([value, cut]) =>
  JSON.stringify(value).slice(0, -1 - cut)
)

const decorated = FastCheck.tuple(json, FastCheck.constantFrom("fence", "comma", "space")).map(([value, how]) => {
  const text = JSON.stringify(value)
  return how === "fence" ? `\`\`\`json\n${text}\n\`\`\`` : how === "comma" ? text.replace(/\}$/, ",}") : ` \n${text}\t`
})

export const callArguments: FastCheck.Arbitrary<unknown> = FastCheck.oneof(
  { weight: 4, arbitrary: json },
  { weight: 4, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: broken },
  { weight: 1, arbitrary: decorated },
  { weight: 1, arbitrary: FastCheck.string({ unit: character }) },
  { weight: 1, arbitrary: FastCheck.constantFrom(undefined, null, "", "null", "[]", [], 0, Number.NaN, 1n) }
)

/** Ids as providers make them, and now and then the same one twice. */
const ids = FastCheck.oneof(FastCheck.uuid(), FastCheck.constantFrom("call_1", "call_2", "", "toString"))

export const call: FastCheck.Arbitrary<ToolCall.ToolCall> = FastCheck.tuple(ids, names, callArguments).map(
  ([id, name, args]) => ToolCall.make(id, name, args)
)

export const turn = FastCheck.array(call, { maxLength: 8 })
