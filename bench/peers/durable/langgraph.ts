/** LangGraph with its Postgres saver: a step is a node, saved before the next one begins. */
import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres"
import { Pool } from "pg"
import { type MakeDurable, receiptOf } from "./durable.js"

const State = Annotation.Root({
  order: Annotation<string>,
  payments: Annotation<number>,
  number: Annotation<number>,
  receipts: Annotation<ReadonlyArray<string>>({ reducer: (all, more) => [...all, ...more], default: () => [] })
})

export const make: MakeDurable = async (url, pay) => {
  const pool = new Pool({ connectionString: url, max: 10 })
  const saver = new PostgresSaver(pool)
  await saver.setup()
  const graph = new StateGraph(State)
    .addNode("think", ({ number }) => ({ number: number + 1 }))
    .addNode("pay", async ({ number, order }) => {
      await pay(order, number)
      return { receipts: [receiptOf(order, number)] }
    })
    .addEdge(START, "think")
    .addEdge("think", "pay")
    .addConditionalEdges("pay", ({ number, payments }) => (number < payments ? "think" : END))
    .compile({ checkpointer: saver })
  return {
    run: async (order, payments) => {
      const config = { configurable: { thread_id: order }, durability: "sync", recursionLimit: 1000 } as const
      const isBegun = (await saver.getTuple(config)) !== undefined
      return graph.invoke(isBegun ? null : { order, payments, number: 0 }, config)
    },
    close: () => pool.end()
  }
}
