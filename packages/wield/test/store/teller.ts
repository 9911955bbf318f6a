/** `teller.ts <kind of store> <folder>`: one of several processes over one store, which is asked by messages. */
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { type AskOptions, tool, wield } from "wield"
import { z } from "zod"
import { stores } from "./desk.js"

export interface Question extends Pick<AskOptions<unknown>, "answers" | "promptId"> {
  readonly id: number
  readonly conversation: string
  readonly prompt?: string
}

/** How it ended, or the name of the error. */
export interface Told {
  readonly id: number
  readonly tag: string
  readonly requests?: ReadonlyArray<NonNullable<Question["answers"]>[number]["to"]>
}

const [kind = "", folder = ""] = process.argv.slice(2)
const pay = tool("pay", {
  parameters: z.object({ order: z.string() }),
  execute: async ({ order }) => {
    appendFileSync(join(folder, "paid"), `${order}\n`)
    await new Promise((resolve) => setTimeout(resolve, 30))
    return `payment of ${order}`
  }
})
const { store } = await stores[kind]!(folder)
const bank = await wield({ tools: [pay], store, approval: { pay: () => "ask" } })
const agent = bank.agent({
  model: FunctionModel.make(({ messages }) => {
    const last = messages.at(-1)
    const order = last?._tag === "User" ? /order (\w+)/.exec(JSON.stringify(last.content))?.[1] : undefined
    return order === undefined
      ? ScriptedModel.text("Done.")
      : ScriptedModel.call("pay", { order }, { id: crypto.randomUUID() })
  })
})

process.on("message", async ({ id, prompt, ...options }: Question) => {
  const told = await agent.ask(prompt, options).then(
    (ended): Told => ({ id, tag: ended._tag, ...(ended._tag === "Paused" ? { requests: ended.requests } : {}) }),
    (error: Error): Told => ({ id, tag: error.name })
  )
  process.send?.(told)
})
process.send?.("ready")
