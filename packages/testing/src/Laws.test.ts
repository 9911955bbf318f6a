import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Facts, Hidden, type Json, type Loss, Outcome, ToolCall, ToolDefinition, Toolset } from "@wield/core"
import { OpenAiChat, type WireFormat } from "@wield/providers"
import { Effect, Either, FastCheck, Ref, Schema } from "effect"
import * as Laws from "./Laws.js"
import { survive } from "./laws/definitions.js"
import { verdict } from "./laws/runs.js"

const Find = Tool.make("find_orders", {
  description: "The customer's orders",
  parameters: {
    customerId: Schema.String,
    status: Schema.Literal("open", "shipped"),
    since: Schema.optional(Schema.Date),
    limit: Schema.Int.pipe(Schema.between(1, 100)),
    code: Schema.String.pipe(Schema.pattern(/^[A-Z]{2}\d{3}$/))
  },
  success: Schema.Array(Schema.Struct({ id: Schema.String, at: Schema.Date })),
  failure: Schema.String,
  failureMode: "return"
}).pipe(Hidden.fields("customerId"))

const Shop = Toolkit.make(Find, Tool.make("ping", { success: Schema.Void }))

const shop = (orders: Effect.Effect<ReadonlyArray<{ readonly id: string; readonly at: Date }>, string>) =>
  Toolset.fromLayer(
    Shop,
    Shop.toLayer({
      find_orders: ({ limit, since }) =>
        since !== undefined && Number.isNaN(since.getTime())
          ? Effect.fail("no such day")
          : Effect.map(orders, (all) => all.slice(0, limit)),
      ping: () => Effect.void
    })
  )

const good = shop(Effect.delay(Effect.succeed([{ id: "o_1", at: new Date(0) }]), "1 millis"))

const context = { customerId: "customer-4711" }

const one = (execute: Toolset.DynamicTool["execute"], more: Partial<Toolset.DynamicTool> = {}) =>
  Toolset.dynamic([
    {
      name: "work",
      description: "Works",
      inputSchema: { type: "object", properties: { n: { type: "integer", minimum: 0 } }, required: ["n"] },
      execute,
      ...more
    }
  ])

/** The same toolset with something about its entries changed, as a faulty source would make them. */
const faulty = <T, R, E>(
  toolset: Toolset.Toolset<T, R, E>,
  change: (entry: Toolset.Entry) => Toolset.Entry
): Toolset.Toolset<T, R, E> => {
  const offer = Effect.map(toolset.offer, (offer) => ({
    ...offer,
    entries: new Map(Array.from(offer.entries, ([name, entry]) => [name, change(entry)]))
  }))
  return Object.create(toolset, { offer: { value: offer } }) as Toolset.Toolset<T, R, E>
}

const broken = (report: Laws.Report) => report.laws.flatMap((law) => law.violations)

describe("Laws.check", () => {
  it.scoped("keeps every law for tools that keep them, and counts what it tried", () =>
    Effect.gen(function* () {
      const report = yield* Laws.check(yield* good, { context })
      expect(Laws.render(report)).not.toContain("BROKEN")
      expect(report.isKept).toBe(true)
      expect(report.laws.map((law) => [law.law, law.tools.length, law.runs])).toEqual([
        ["valid-arguments", 2, 100],
        ["invalid-arguments", 2, 100],
        ["definitions", 2, 8],
        ["hidden-fields", 1, 50],
        ["one-outcome", 2, 50],
        ["interruption", 2, 10]
      ])
      // Ollama has no `pattern`: the format says so, and the law is kept.
      expect(report.losses.some((loss) => loss.format === "ollama" && loss.keyword === "pattern")).toBe(true)
      yield* Laws.assertKept(report)
    })
  )

  it.effect("keeps every law for dynamic tools, from their JSON Schema", () =>
    Effect.gen(function* () {
      const seen = yield* Ref.make<ReadonlyArray<unknown>>([])
      const toolset = yield* one(
        (args) =>
          Effect.as(
            Ref.update(seen, (all) => [...all, args]),
            args
          ),
        {
          inputSchema: {
            type: "object",
            properties: {
              email: { type: "string", format: "email" },
              tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
              tenant: { type: "string" }
            },
            required: ["email", "tags", "tenant"],
            additionalProperties: false
          },
          hidden: ["tenant"]
        }
      )
      const report = yield* Laws.check(toolset, { context: { tenant: "tenant-4711" } })
      expect(Laws.render(report)).not.toContain("BROKEN")
      expect(new Set((yield* seen).map((args) => JSON.stringify(args))).size).toBeGreaterThan(30)
    })
  )

  it.effect("tells a handler that dies of some valid input, with the smallest one", () =>
    Effect.gen(function* () {
      const Square = Tool.make("square", { parameters: { n: Schema.Int }, success: Schema.Number })
      const kit = Toolkit.make(Square)
      const toolset = yield* Toolset.fromToolkit(kit).pipe(
        Effect.provide(
          kit.toLayer({ square: ({ n }) => (n > 9 ? Effect.dieMessage("too large") : Effect.succeed(n * n)) })
        )
      )
      const report = yield* Laws.check(toolset, { runs: 200 })
      expect(broken(report)).toEqual([
        {
          law: "valid-arguments",
          tool: "square",
          message: expect.stringContaining("too large"),
          counterexample: '{"n":10}'
        }
      ])
      const error = yield* Effect.flip(Laws.assertKept(report))
      expect(error.message).toContain('with {"n":10}')
    })
  )

  it.scoped("tells a result that does not fit the tool's schema, and a handler that never ends", () =>
    Effect.gen(function* () {
      const invalid = yield* Laws.check(yield* shop(Effect.succeed([{ id: "o_1", at: new Date(Number.NaN) }])), {
        context,
        laws: ["valid-arguments"]
      })
      expect(broken(invalid).map(({ message }) => message)).toEqual([expect.stringContaining("InvalidResult: $.0.at")])
      const endless = yield* Laws.check(yield* shop(Effect.never), {
        context,
        laws: ["valid-arguments"],
        timeout: "20 millis"
      })
      expect(broken(endless).map(({ message }) => message)).toEqual([expect.stringContaining("TimedOut after 20 ms")])
    })
  )

  it.effect("tells a call context that lacks a hidden field", () =>
    Effect.gen(function* () {
      const toolset = yield* one(Effect.succeed, { hidden: ["n"] })
      const report = yield* Laws.check(toolset, { laws: ["valid-arguments"] })
      expect(broken(report)[0]?.message).toMatch(/MissingContext: \$\.n/)
    })
  )

  it.effect("tells an invalid call that is handled all the same", () =>
    Effect.gen(function* () {
      const strict = yield* one(Effect.succeed)
      let isAsked = false
      const toolset = faulty(strict, (entry) => ({
        ...entry,
        // Refuses what it is asked first, and takes it when it is asked again.
        decode: (input) => {
          const decoded = entry.decode(input)
          if (!Effect.isEffect(decoded) || !Either.isEither(decoded) || Either.isRight(decoded)) return decoded
          isAsked = !isAsked
          return isAsked ? decoded : Either.right({})
        }
      }))
      const report = yield* Laws.check(toolset, { laws: ["invalid-arguments"] })
      expect(broken(report).map(({ message }) => message)).toEqual(["an invalid call reached the handler"])
    })
  )

  it("tells a definition that a format changes without a loss, and not one with a loss", () => {
    const definition = ToolDefinition.make({
      name: "find",
      description: "Finds",
      inputSchema: { type: "object", properties: { n: { type: "number", minimum: 0 } } }
    })
    const { format } = OpenAiChat
    /** A format that does not send a text, and says so or does not. */
    const without = (text: string, losses: ReadonlyArray<Loss.Loss>): WireFormat.WireFormat => ({
      ...format,
      encodeTools: (definitions) => ({
        body: JSON.parse(JSON.stringify(format.encodeTools(definitions).body).replace(text, "")) as Json.JsonObject,
        losses
      })
    })
    const messages = (each: WireFormat.WireFormat) =>
      survive(each, [definition]).violations.map(({ message }) => message)
    expect(messages(format)).toEqual([])
    expect(messages(without('"description":"Finds",', []))).toEqual([
      'OpenAI Chat Completions: changed without a loss: at $.description, declared "Finds", read back ""'
    ])
    expect(messages(without(',"minimum":0', []))).toEqual([
      "OpenAI Chat Completions: changed without a loss: at $.inputSchema.properties.n.minimum, declared 0, read back nothing"
    ])
    const loss = { subject: "find", path: ["properties", "n"], keyword: "minimum", reason: "not sent" }
    expect(messages(without(',"minimum":0', [loss]))).toEqual([])
    expect(messages({ ...format, encodeTools: () => ({ body: {}, losses: [] }) })).toEqual([
      "OpenAI Chat Completions: 0 of 1 tools came back"
    ])
  })

  it("tells outcomes that are missing, in another order, or without a result", () => {
    const calls = [ToolCall.make("call_1", "a", {}), ToolCall.make("call_2", "b", {})] as const
    const outcomes = calls.map((call) => new Outcome.UnknownTool({ call, nearest: [] }))
    const messageOf = (all: ReadonlyArray<Outcome.Outcome>) => {
      const told = verdict(calls, all)
      return typeof told === "object" ? told.message : undefined
    }
    expect(messageOf(outcomes)).toBeUndefined()
    expect(messageOf(outcomes.slice(1))).toBe("2 calls gave 1 outcomes")
    expect(messageOf(outcomes.toReversed())).toBe("outcome 1 is of call_2 and not of call_1")
  })

  it.scoped("tells a hidden field that a definition names, shows or gives the value of", () =>
    Effect.gen(function* () {
      const toolset = yield* good
      const leaking = [
        toolset.pipe(Toolset.describe({ find_orders: "Orders of the customerId of the session" })),
        toolset.pipe(Toolset.describe({ find_orders: "Orders of customer-4711" })),
        toolset.pipe(
          Toolset.prepare(({ inputSchema }) => ({ inputSchema: { ...inputSchema, required: ["customerId"] } }))
        ),
        faulty(toolset, (entry) => ({
          ...entry,
          definition: { ...entry.definition, facts: Facts.make({ examples: [{ CustomerID: "c" }] }) }
        }))
      ]
      const found = yield* Effect.forEach(leaking, (each) => Laws.check(each, { context, laws: ["hidden-fields"] }))
      expect(found.map((report) => broken(report)[0]?.message)).toEqual([
        "its description or input schema names customerId",
        "its definition has the value of a hidden field in it",
        "inputSchema.required has customerId",
        "facts.examples has CustomerID"
      ])
    })
  )

  it.effect("reads parameters that JSON cannot say", () =>
    Effect.gen(function* () {
      const Pay = Tool.make("pay", {
        parameters: { accountId: Schema.String, cents: Schema.BigInt, tags: Schema.HashSet(Schema.String) },
        success: Schema.Void
      }).pipe(Hidden.fields("accountId"))
      const kit = Toolkit.make(Pay)
      const toolset = yield* Toolset.fromToolkit(kit).pipe(Effect.provide(kit.toLayer({ pay: () => Effect.void })))
      const report = yield* Laws.check(toolset, { context: { accountId: "account-4711" } })
      expect(Laws.render(report)).not.toContain("BROKEN")
    })
  )

  it.scoped("tells a value for a hidden field that reaches the handler", () =>
    Effect.gen(function* () {
      const toolset = faulty(yield* good, (entry) => {
        const { hidden } = entry
        if (hidden === undefined) return entry
        return {
          ...entry,
          decode: Either.right,
          hidden: { ...hidden, foldedKeys: new Set(), inject: (args) => Either.right(args) }
        }
      })
      const report = yield* Laws.check(toolset, { context, laws: ["hidden-fields"] })
      expect(broken(report).map(({ message }) => message)).toEqual([
        "a value that the model sent for a hidden field reached the handler"
      ])
    })
  )

  it.effect("tells a handler that cannot be interrupted", () =>
    Effect.gen(function* () {
      const toolset = yield* one(() => Effect.uninterruptible(Effect.sleep("300 millis")))
      const report = yield* Laws.check(toolset, { laws: ["interruption"], timeout: "50 millis" })
      expect(broken(report).map(({ message }) => message)).toEqual([
        expect.stringContaining("went on for more than 50ms")
      ])
    })
  )

  it.effect("does not say of handlers that never began that they can be interrupted", () =>
    Effect.gen(function* () {
      const toolset = yield* one(Effect.succeed, { hidden: ["n"] })
      const report = yield* Laws.check(toolset, { laws: ["interruption"] })
      expect(broken(report).map(({ message }) => message)).toContainEqual(
        expect.stringContaining("too few inputs fit the law")
      )
    })
  )

  it.effect("runs no handler that it must not run, and says whose", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const tool = (name: string): Toolset.DynamicTool => ({
        name,
        inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        execute: () => Effect.sync(() => void ran.push(name))
      })
      const toolset = yield* Toolset.dynamic([tool("read"), tool("write")])
      const runs = (options: Laws.Options) =>
        Effect.map(Laws.check(toolset, options), (report) => {
          expect(Laws.render(report)).not.toContain("BROKEN")
          expect(report.tools.filter(({ isRun }) => isRun).map(({ name }) => name)).toEqual([...new Set(ran)].sort())
          return [...new Set(ran.splice(0))].sort()
        })
      expect(yield* runs({ isDry: true })).toEqual([])
      expect(yield* runs({ only: ["read"] })).toEqual(["read"])
      expect(yield* runs({ except: ["read"] })).toEqual(["write"])
      expect(yield* runs({})).toEqual(["read", "write"])
      expect(Laws.render(yield* Laws.check(toolset, { isDry: true }))).toContain("without handlers: read, write")
    })
  )

  it.effect("takes the arguments that it is given, and says where it can make none", () =>
    Effect.gen(function* () {
      const Impossible = Schema.String.pipe(Schema.filter(() => false, { jsonSchema: {} }))
      const kit = Toolkit.make(Tool.make("never", { parameters: { text: Impossible } }))
      const toolset = yield* Toolset.fromToolkit(kit).pipe(Effect.provide(kit.toLayer({ never: () => Effect.void })))
      const report = yield* Laws.check(toolset, {
        laws: ["valid-arguments"],
        runs: 2,
        arguments: { never: FastCheck.constant({ text: "a" }) }
      })
      expect(broken(report)[0]?.message).toContain("Give an arbitrary of valid arguments")

      const seen: Array<unknown> = []
      const dynamic = yield* one((args) => Effect.sync(() => void seen.push(args)))
      yield* Laws.check(dynamic, { laws: ["valid-arguments"], arguments: { work: FastCheck.constant({ n: 7 }) } })
      expect(new Set(seen.map((args) => JSON.stringify(args)))).toEqual(new Set(['{"n":7}']))
    })
  )

  it.scoped("tries the same inputs for the same seed", () =>
    Effect.gen(function* () {
      const inputs = (seed: number) =>
        Effect.gen(function* () {
          const seen: Array<string> = []
          const toolset = yield* one((args) => Effect.sync(() => void seen.push(JSON.stringify(args))))
          yield* Laws.check(toolset, { laws: ["valid-arguments"], seed })
          return seen
        })
      expect(yield* inputs(7)).toEqual(yield* inputs(7))
      expect(yield* inputs(7)).not.toEqual(yield* inputs(8))
    })
  )
})
