/** A shop with a studio, for tests: hidden fields, approvals, toolsets, a model with a script, and secrets that no client may read. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, ConversationStore } from "@wield/agent"
import { Approval, CurrentCall, Hidden, NeedsInput, type Policy, ToolRunner, Toolset } from "@wield/core"
import { Inbox, Recorder, Studio } from "@wield/studio"
import { ScriptedModel } from "@wield/testing"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { Effect, Layer, Redacted, Schema } from "effect"

export const token = "full-0123456789abcdef"
export const viewer = "view-0123456789abcdef"

export const secrets = {
  customer: "HIDDEN-7c1f",
  context: "CONTEXT-5d0c",
  redacted: "REDACTED-9a2e",
  defect: "DEFECT-41bb",
  state: "STATE-2b7d"
}

export const hostileName = "<img src=x onerror=alert(1)>/../\u202e%2F"

const FindOrders = Tool.make("find_orders", {
  description: "Finds the orders of the customer",
  parameters: { text: Schema.String, customerId: Schema.String },
  success: Schema.Array(Schema.String)
}).pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays an order back",
  parameters: { order: Schema.String, amount: Schema.Number, customerId: Schema.String },
  success: Schema.String
}).pipe(Hidden.fields("customerId"))

const Lacking = Tool.make("lacking", {
  parameters: { customerId: Schema.Number },
  success: Schema.String
}).pipe(Hidden.fields("customerId"))

const Shop = Toolkit.make(FindOrders, Refund, Lacking)

export const script = [
  ScriptedModel.turn(ScriptedModel.call("find_orders", { text: "tea", customerId: "someone else" })),
  ScriptedModel.turn(ScriptedModel.call("refund", { order: "A1", amount: 200 })),
  ScriptedModel.text("It is paid back."),
  ...Array.from({ length: 20 }, (_, index) => ScriptedModel.text(`Answer ${index}.`))
]

export const makeShop = (
  access: Partial<Studio.AccessOptions> & {
    readonly recording?: Recorder.Options
    readonly isBare?: boolean
    /** Beside those of the shop. */
    readonly tools?: ReadonlyArray<Toolset.DynamicTool>
    readonly script?: ReadonlyArray<ScriptedModel.ScriptedTurn>
  } = {}
) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    let refunds = 0
    const shop = yield* Toolset.fromToolkit(Shop).pipe(
      Effect.provide(
        Shop.toLayer({
          find_orders: ({ text }) => Effect.succeed([`A1 ${text}`]),
          refund: ({ amount, order }) => Effect.sync(() => `refund ${++refunds}: ${amount} for ${order}`),
          lacking: () => Effect.succeed("never")
        })
      )
    )
    const others = yield* Toolset.dynamic([
      { name: "crash", execute: () => Effect.die(new Error(secrets.defect)) },
      { name: "big", execute: () => Effect.succeed("<b>".repeat(1_700_000)) },
      { name: "redacted", execute: () => Effect.succeed({ key: Redacted.make(secrets.redacted) } as never) },
      {
        name: "book",
        execute: () =>
          Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
            input?.round === 2
              ? Effect.succeed(`booked ${String(input.reply)}`)
              : Effect.fail(
                  new NeedsInput({ asks: "Where?", accepts: { enum: ["aisle", "window"] }, state: secrets.state })
                )
          )
      },
      { name: hostileName, description: "<script>alert(1)</script>", execute: () => Effect.succeed("<img onerror>") },
      ...(access.tools ?? [])
    ])
    const toolset = Toolset.combine(shop, others)
    const policy: Policy.Policy = {
      approval: ({ name, parameters }) =>
        name === "refund" && (parameters as { readonly amount: number }).amount > 100
          ? Approval.ask("it is over 100")
          : name === "slow"
            ? Approval.ask()
            : Approval.allow,
      limits: { default: { timeout: "5 seconds" } }
    }
    const manager = yield* ToolsetManager.make({
      toolset,
      modules: new Map([["orders", ["find_orders", "refund"]]]),
      userFile: join(folder, "toolsets.json"),
      initial: "all"
    })
    const store = yield* ConversationStore.ConversationStore
    const recorder = yield* Recorder.Recorder
    const inbox = yield* Inbox.Inbox
    const context = { customerId: secrets.customer, apiKey: secrets.context }
    const agent = yield* Agent.make({
      name: "clerk",
      model: yield* ScriptedModel.make(access.script ?? script),
      toolset: manager.toolset,
      policy
    })
    const { isBare = false, recording: _, script: _script, tools: _tools, ...stated } = access
    const options = {
      toolset,
      policy,
      context,
      recorder,
      inbox,
      ...(isBare ? {} : { agent, toolsets: manager, store }),
      sourceOf: (name: string) => (name === "refund" ? "shop.ts" : undefined),
      token: Redacted.make(token),
      readOnlyToken: Redacted.make(viewer),
      ...stated
    }
    const { dispose, handler } = yield* Studio.toWebHandler(options)
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const send = (method: string, path: string, body?: unknown, bearer = token) =>
      Effect.promise(async () => {
        const response = await handler(
          new Request(`http://localhost${path}`, {
            method,
            headers: {
              authorization: `Bearer ${bearer}`,
              ...(body === undefined ? {} : { "content-type": "application/json" })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
        const text = await response.text()
        // oxlint-disable-next-line typescript/no-explicit-any
        const json: any = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text
        return { status: response.status, json, text, headers: response.headers }
      })
    return {
      handler,
      send,
      get: (path: string) => send("GET", path),
      post: (path: string, body?: unknown) => send("POST", path, body),
      recorder,
      inbox,
      store,
      manager,
      agent,
      policy,
      toolset,
      options,
      runner: yield* ToolRunner.make(toolset, policy)
    }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeContext.layer,
        ActiveToolsets.layerMemory,
        ConversationStore.layerMemory,
        Recorder.layer(access.recording ?? {}),
        Inbox.layer
      )
    )
  )

export type Shop = Effect.Effect.Success<ReturnType<typeof makeShop>>

/** Waits for a state that a run comes to by itself. */
export const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isSo: (value: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(
    Effect.zipLeft(
      effect,
      Effect.promise(() => new Promise((resume) => setTimeout(resume, 2)))
    ),
    {
      until: isSo
    }
  )
