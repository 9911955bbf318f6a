/** What listens to a run decides nothing: neither what it throws nor what it rejects with ends a call or the process. */
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { setImmediate as nextTurn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { failure, tool, wield } from "wield"

const unhandled: Array<unknown> = []
const keep = (reason: unknown) => void unhandled.push(reason)
beforeEach(() => process.on("unhandledRejection", keep))
afterEach(async () => {
  // Node says so at the end of a turn.
  await nextTurn()
  process.off("unhandledRejection", keep)
  expect(unhandled.splice(0)).toEqual([])
})

const gone = new Error("the page is gone")
const rejects = () => Promise.reject(gone)
const listeners = [
  [
    "throws",
    () => {
      throw gone
    }
  ],
  ["rejects", rejects]
] as const

const response = {
  type: "message",
  role: "assistant",
  content: [{ type: "tool_use", id: "toolu_1", name: "pay", input: {} }],
  stop_reason: "tool_use"
}

const open = async () => {
  let paid = 0
  const lines: Array<string> = []
  const pay = tool("pay", {
    execute: async (_, { progress }) => {
      await progress("half")
      return ++paid
    }
  })
  const shop = await wield({ tools: [pay], logger: ({ message }) => lines.push(message) })
  const model = Effect.runSync(ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")]))
  return { shop, agent: shop.agent({ model }), lines, paid: () => paid }
}

describe.each(listeners)("an `onEvent` that %s", (_, onEvent) => {
  it("leaves the calls of a response as they are, and is named in the log", async () => {
    const { lines, paid, shop } = await open()
    const { outcomes } = await shop.run().answer("anthropic", response, { onEvent })
    expect(outcomes).toMatchObject([{ _tag: "Success", result: 1 }])
    expect(paid()).toBe(1)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/`onEvent` failed[^]*the page is gone/)
    await shop.close()
  })

  it("leaves the run of an agent as it is", async () => {
    const { agent, paid, shop } = await open()
    expect(await agent.ask("Pay", { onEvent })).toMatchObject({ _tag: "Finished", text: "Paid." })
    expect(paid()).toBe(1)
    await shop.close()
  })

  it("leaves a stream as it is", async () => {
    const { agent, shop } = await open()
    const events: Array<string> = []
    for await (const { _tag } of agent.stream("Pay", { onEvent })) events.push(_tag)
    expect(events.at(-1)).toBe("Done")
    await shop.close()
  })
})

it("a run waits for the promise of its listener, so that events are handled in their order", async () => {
  const { agent, shop } = await open()
  const done: Array<string> = []
  const onEvent = async ({ _tag }: { readonly _tag: string }) => {
    await nextTurn()
    done.push(_tag)
  }
  await agent.ask("Pay", { onEvent })
  expect(done.filter((tag) => /Started|Finished|Done/.test(tag))).toEqual([
    "TurnStarted",
    "CallStarted",
    "CallFinished",
    "TurnFinished",
    "TurnStarted",
    "TurnFinished",
    "Done"
  ])
  await shop.close()
})

it("a logger that rejects ends nothing", async () => {
  const shop = await wield({ tools: [tool("pay", { execute: rejects })], logger: rejects })
  const { outcomes } = await shop.run().answer("anthropic", response)
  expect(outcomes).toMatchObject([{ _tag: "Defect" }])
  await shop.close()
})

it.each<readonly [place: string, execute: () => unknown]>([
  ["in a failure", () => failure(rejects())],
  ["in a result", () => ({ receipt: rejects() })],
  ["in a list", () => [rejects()]]
])("a promise that was not awaited, %s, ends its call alone", async (_, execute) => {
  const shop = await wield({ tools: [tool("pay", { execute })], logger: () => {} })
  const { outcomes } = await shop.run().answer("anthropic", response)
  expect(outcomes).toMatchObject([{ _tag: "InvalidResult" }])
  await shop.close()
})
