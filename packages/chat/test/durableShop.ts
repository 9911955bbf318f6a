/** A shop whose chat runs in a cluster over a file, in the process of a test or in one of its own. */
import { Agent } from "@wield/agent"
import { Chat } from "@wield/chat"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Approval, Journal, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Effect, Layer } from "effect"

const { call, text, turn } = ScriptedModel

export const Shop = AgentEntity.make("shop")

/** What the shop waits for in the middle of its last turn, and how it pays. */
export interface Work {
  readonly wait: Effect.Effect<void>
  readonly pay: Effect.Effect<void>
}

const makeAgent = ({ pay, wait }: Work) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        execute: () => pay
      }
    ])
    const model = yield* FunctionModel.make(({ messages }) =>
      Effect.succeed(
        messages.at(-1)?._tag === "User"
          ? turn(text("One moment."), call("pay", { amount: 5 }, { id: "c1" }))
          : turn(text("It is, "), ScriptedModel.wait(wait), text("paid."))
      )
    )
    const policy = { journal: yield* Journal.Journal, approval: () => Approval.ask("it costs money") }
    return yield* Agent.make({ model, toolset, policy })
  })

/** A runner of the cluster in this process. */
export const inCluster = (path: string, work: Work) =>
  Shop.toLayer(makeAgent(work)).pipe(Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" })))

export const makeChat = (client: Effect.Effect.Success<typeof Shop.client>) =>
  Chat.fromClient({
    client,
    whenPageLeaves: "goOn",
    authorize: (request) => Effect.succeed({ user: request.headers.get("x-user") ?? "" })
  })
