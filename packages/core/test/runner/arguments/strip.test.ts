import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Hidden, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const Greet = Tool.make("greet", {
  parameters: {
    customerId: Schema.String,
    tenant: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("tenant_id")),
    text: Schema.String
  },
  success: Schema.Unknown
}).pipe(Hidden.fields("customerId", "tenant"))
const Greetings = Toolkit.make(Greet)

const runner = Effect.map(
  Effect.flatMap(
    Toolset.fromLayer(Greetings, Greetings.toLayer({ greet: (parameters) => Effect.succeed({ ...parameters }) })),
    (toolset) => ToolRunner.make(toolset, { unknownArguments: "reject" })
  ),
  (made) => made.forRun({ context: { customerId: "c_1", tenant_id: "t_1" } })
)

it.scoped("values for hidden fields are dropped however they are spelled, each with a note", () =>
  Effect.gen(function* () {
    const outcome = yield* (yield* runner).run(
      ToolCall.make("c", "greet", { text: "hi", customerId: "evil", CUSTOMERID: "evil", CustomerID: "evil" })
    )
    const success = expectOutcome(outcome, "Success")
    expect(success.encoded).toEqual({ text: "hi", customerId: "c_1", tenant: "t_1" })
    expect(success.notes).toEqual([
      { _tag: "Stripped", field: "customerId" },
      { _tag: "Stripped", field: "CUSTOMERID" },
      { _tag: "Stripped", field: "CustomerID" }
    ])
  })
)

it.scoped("both the name and the encoded key of a hidden field are dropped", () =>
  Effect.gen(function* () {
    const outcome = yield* (yield* runner).run(
      ToolCall.make("c", "greet", '{"text":"hi","tenant":"evil","Tenant_Id":"evil"}')
    )
    const success = expectOutcome(outcome, "Success")
    expect(success.encoded).toEqual({ text: "hi", customerId: "c_1", tenant: "t_1" })
    expect(success.notes.map((note) => note._tag)).toEqual(["Stripped", "Stripped"])
  })
)

it.scoped("the call keeps its arguments as the model sent them", () =>
  Effect.gen(function* () {
    const sent = { text: "hi", customerId: "evil" }
    const outcome = yield* (yield* runner).run(ToolCall.make("c", "greet", sent))
    expect(outcome.call.arguments).toBe(sent)
    expect(sent).toEqual({ text: "hi", customerId: "evil" })
  })
)

it.scoped("a tool without hidden fields keeps all its arguments", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "echo", inputSchema: { type: "object", additionalProperties: true }, execute: Effect.succeed }
    ])
    const echo = yield* ToolRunner.make(toolset)
    const outcome = expectOutcome(yield* echo.run(ToolCall.make("c", "echo", { customerId: "mine" })), "Success")
    expect(outcome.encoded).toEqual({ customerId: "mine" })
    expect(outcome.notes).toEqual([])
  })
)
