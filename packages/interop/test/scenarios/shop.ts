/** The tools that every host runs, and what became of them. */
import { Approval, Content, type Journal, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"

export interface Shop {
  readonly run: ToolRunner.Run<Toolset.DynamicTools>
  /** What `pay` was given. */
  readonly paid: Array<unknown>
  /** Whether the handler of `wait` has begun, and whether its finalizer ran. */
  readonly waited: { begun: boolean; ended: boolean }
}

const amount = { type: "object", properties: { account: { type: "string" }, amount: { type: "number" } } } as const
const nothing = { type: "object", properties: {} } as const

/** One run; another with the same journal stands for another process. */
export const openShop = (journal?: Journal.Service, account = "secret_account"): Promise<Shop> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const paid: Array<unknown> = []
      const waited = { begun: false, ended: false }
      const wait = Effect.ensuring(
        Effect.zipRight(
          Effect.sync(() => (waited.begun = true)),
          Effect.never
        ),
        Effect.sync(() => (waited.ended = true))
      )
      const toolset = yield* Toolset.dynamic([
        {
          name: "pay",
          description: "Pays an amount",
          inputSchema: { ...amount, required: ["account", "amount"] },
          hidden: ["account"],
          execute: (given) => Effect.sync(() => (paid.push(given), { paid: given["amount"] }))
        },
        { name: "fail", inputSchema: nothing, execute: () => Effect.fail("There is no such order") },
        { name: "crash", inputSchema: nothing, execute: () => Effect.die(new Error("as shop:hunter2")) },
        { name: "slow", inputSchema: nothing, execute: () => Effect.never },
        { name: "wait", inputSchema: nothing, execute: () => wait },
        { name: "nothing", inputSchema: nothing, execute: () => Effect.void },
        {
          name: "picture",
          inputSchema: nothing,
          isContent: true,
          execute: () => Effect.succeed([Content.text("A dot:"), Content.image("image/png", "iVBORw0KGgo=")])
        }
      ])
      const runner = yield* ToolRunner.make(toolset, {
        journal,
        limits: { dynamic: { slow: { timeout: "10 millis" } } },
        approval: ({ name, parameters }) => {
          const { amount } = parameters as { readonly amount: number }
          if (name !== "pay" || amount <= 100) return Approval.allow
          return amount > 1000 ? Approval.deny("too much") : Approval.ask("over 100")
        }
      })
      return { run: runner.forRun({ id: "order_7", context: { account } }), paid, waited }
    })
  )
