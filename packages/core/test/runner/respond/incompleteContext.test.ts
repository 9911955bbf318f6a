import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  CurrentCall,
  Facts,
  Hidden,
  Journal,
  NeedsInput,
  Response,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const fields = { account: Schema.String, limit: Schema.Struct({ most: Schema.Number }), to: Schema.String }
const success = Schema.String

class Bank extends Toolkit.make(
  Tool.make("pay", { parameters: fields, success }).pipe(Hidden.fields("account", "limit")),
  Tool.make("sign", { parameters: fields, success }).pipe(Facts.client, Hidden.fields("account", "limit")),
  Tool.make("book", { parameters: fields, success, failure: NeedsInput }).pipe(Hidden.fields("account", "limit"))
) {}

const context = { account: "a_1", limit: { most: 5 } }

/** A program without types may forget the context, or a part of it. */
const forgetful = [{}, { context: { account: "a_1" } }, { context: { account: "a_1", limit: { most: "s3cret" } } }]

const bank = (journal?: Journal.Service) =>
  Effect.gen(function* () {
    const paid: Array<string> = []
    const pay = ({ account, to }: { readonly account: string; readonly to: string }) =>
      Effect.sync(() => (paid.push(`${account} to ${to}`), "paid"))
    const handlers = Bank.toLayer({
      pay,
      book: (parameters) =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
          input === undefined
            ? Effect.fail(new NeedsInput({ asks: "Sure?", accepts: { type: "boolean" } }))
            : pay(parameters)
        )
    })
    const toolset = yield* Effect.provide(Toolset.fromToolkit(Bank), handlers)
    const runner = yield* ToolRunner.make(toolset, { journal, approval: { pay: () => Approval.ask() } })
    const forRun = (options: object) => runner.forRun({ id: "r", ...options } as never)
    return { forRun, paid }
  })

describe("A response that comes without the hidden values", () => {
  for (const [name, response] of [
    ["pay", Response.approve],
    ["pay", Response.approveWith({ to: "Bob" })],
    ["sign", Response.result("signed")],
    ["book", Response.reply(true)]
  ] as const) {
    it.scoped(`is refused (${response._tag} to ${name}), and taken with them`, () =>
      Effect.gen(function* () {
        for (const journal of [undefined, yield* Journal.memory, { ...(yield* Journal.memory) }]) {
          const { forRun, paid } = yield* bank(journal)
          const run = forRun({ context })
          const deferred = expectOutcome(yield* run.run(ToolCall.make("c", name, { to: "Ada" })), "Deferred")
          for (const options of forgetful) {
            const without = forRun(options)
            const error = yield* Effect.flip(without.resume(deferred, response as never))
            expect(error).toMatchObject({ _tag: "IncompleteContext", call: "c", tool: name })
            expect(error.message).toMatch("context" in options ? /form: limit(\.most)?\. / : /form: account, limit\. /)
            expect(error.message).not.toContain("s3cret")
            expect(yield* Effect.flip(without.check(deferred, response as never))).toEqual(error)
          }
          expect(paid).toEqual([])
          expectOutcome(yield* run.resume(deferred, response as never), "Success")
          expectOutcome(yield* run.resume(deferred, response as never), "Success")
          expect(paid).toHaveLength(name === "sign" ? 0 : 1)
        }
      })
    )
  }
})

it.scoped("A denial of what a call asks for is taken without the hidden values, and whatever the digest", () =>
  Effect.gen(function* () {
    for (const journal of [undefined, yield* Journal.memory, { ...(yield* Journal.memory) }]) {
      for (const hasInput of [true, false]) {
        const { forRun, paid } = yield* bank(journal)
        const sent = ToolCall.make(`c ${hasInput}`, "book", { to: "Ada" })
        const { call, digest, input, name } = expectOutcome(yield* forRun({ context }).run(sent), "Deferred")
        const waiting = { call, digest, name, ...(hasInput ? { input } : {}) }
        const run = forRun({})
        const refused = run.resume({ ...waiting, digest: "another" }, Response.reply("no"))
        expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "IncompleteContext" })
        expectOutcome(yield* run.resume({ ...waiting, digest: "another" }, Response.deny("no")), "Denied")
        if (journal !== undefined) expectOutcome(yield* forRun({ context }).run(sent), "Denied")
        expect(paid).toEqual([])
      }
    }
  })
)
