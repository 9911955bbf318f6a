/** A shop with a chat, served over HTTP: a tool of each kind, and secrets that no page may see. */
import { createServer } from "node:http"
import { HttpApp, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, ConversationStore, type Stop } from "@wield/agent"
import { Chat } from "@wield/chat"
import { Approval, Content, CurrentCall, Facts, Hidden, NeedsInput, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Effect, Layer, Schema } from "effect"

export const secrets = { customer: "HIDDEN-7c1f", defect: "DEFECT-41bb", state: "STATE-2b7d" }

const Refund = Tool.make("refund", {
  description: "Pays money back for an order",
  parameters: { order: Schema.String, amount: Schema.Number, customer: Schema.String },
  success: Schema.Struct({ paid: Schema.Number })
}).pipe(Hidden.fields("customer"))
const Find = Tool.make("find", { parameters: { text: Schema.String }, success: Schema.Array(Schema.String) })
const Fail = Tool.make("fail", {
  success: Schema.String,
  failure: Schema.Struct({ why: Schema.String }),
  failureMode: "return"
})
const Bug = Tool.make("bug", { success: Schema.String })
const Slow = Tool.make("slow", { success: Schema.String })
/** The page runs it, and knows no failure of it. */
const Sign = Tool.make("sign", { success: Schema.String }).pipe(Facts.client)

export const Shop = Toolkit.make(Refund, Find, Fail, Bug, Slow, Sign)
export type ShopTools = Toolset.Toolset<Toolset.ToolsOf<typeof Shop>>

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** What the tools did. */
export class Effects extends Context.Tag("Effects")<Effects, { readonly paid: Array<readonly [string, number]> }>() {}

const handlers = Shop.toLayer(
  Effect.gen(function* () {
    const { paid } = yield* Effects
    return {
      refund: ({ amount, customer }) =>
        Effect.sync(() => {
          paid.push([customer, amount])
          return { paid: amount }
        }),
      find: ({ text }) => Effect.succeed([`${text} 1`, `${text} 2`]),
      fail: () => Effect.fail({ why: "closed" }),
      bug: () => Effect.die(new Error(secrets.defect)),
      slow: () =>
        Effect.gen(function* () {
          const call = yield* CurrentCall.CurrentCall
          yield* call.progress({ percent: 10 })
          yield* call.progress({ percent: 90 })
          return "slow and steady"
        })
    }
  })
)

const others = Toolset.dynamic([
  {
    name: "map",
    description: "Shows a place on the page's map",
    inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
    facts: { kind: "client" },
    execute: () => Effect.void
  },
  {
    name: "receipt",
    isContent: true,
    execute: () => Effect.succeed([Content.text("The receipt"), Content.image("image/png", pixel)])
  },
  { name: "wait", execute: () => Effect.never },
  {
    name: "weigh",
    isContent: true,
    execute: () => Effect.succeed([Content.json({ grams: 250 }), Content.image("image/png", pixel)])
  },
  {
    name: "wish",
    execute: () =>
      Effect.gen(function* () {
        const { input } = yield* CurrentCall.CurrentCall
        const accepts = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] }
        if (input === undefined) return yield* new NeedsInput({ asks: "Which colour?", accepts, state: secrets.state })
        return `a ${(input.reply as { readonly colour: string }).colour} one`
      })
  }
])

export interface Options {
  readonly script: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>
  readonly stop?: Stop.Stop
  readonly chat?: Partial<Omit<Parameters<typeof Chat.make>[0], "agent" | "authorize">>
}

/** The chat of the shop, and what stands behind it. */
export const makeShop = ({ chat = {}, script, stop }: Options) =>
  Effect.gen(function* () {
    const paid: Array<readonly [string, number]> = []
    const own = yield* Toolset.fromLayer(Shop, Layer.provide(handlers, Layer.succeed(Effects, { paid })))
    const toolset = Toolset.combine(own, yield* others)
    const model = yield* ScriptedModel.make(script)
    const agent = yield* Agent.make({
      model,
      toolset,
      stop,
      policy: {
        approval: {
          refund: ({ parameters }) =>
            parameters.amount > 1000 ? Approval.deny("too much") : Approval.ask("it costs money")
        }
      }
    })
    const made = yield* Chat.make({
      agent,
      authorize: (request) => {
        const user = request.headers.get("x-user") ?? ""
        return Effect.succeed(user === "" ? undefined : { user, context: { customer: secrets.customer } })
      },
      ...chat
    })
    return { chat: made, paid, model, store: yield* ConversationStore.ConversationStore }
  })

/** Serves a handler on a free port of the loopback. */
export const serve = (handle: (request: Request) => Promise<Response>) =>
  Effect.gen(function* () {
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(HttpApp.fromWebHandler(handle))
    return HttpServer.formatAddress(server.address)
  })
