/** A host that stops: what goes on then goes on to nothing. */
import { CurrentCall, NeedsInput, ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as ClaudeAgent from "@wield/interop/claude-agent"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeHost } from "../src/internal/host.js"
import { openShop } from "./scenarios/shop.js"

const stopped = new Error("stopped")

describe("a call that is aborted", () => {
  const open = async (controller: AbortController) => {
    const done: Array<string> = []
    const pause = Effect.onInterrupt(
      Effect.delay(
        Effect.sync(() => done.push("to its end")),
        "20 millis"
      ),
      () => Effect.sync(() => done.push("interrupted"))
    )
    const host = Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "stop",
          execute: () =>
            Effect.zipRight(
              Effect.sync(() => controller.abort(stopped)),
              pause
            )
        },
        {
          name: "ask",
          execute: () =>
            Effect.gen(function* () {
              const { input } = yield* CurrentCall.CurrentCall
              if (input === undefined) return yield* new NeedsInput({ asks: "which", accepts: { type: "string" } })
              done.push("begun")
              return yield* pause
            })
        }
      ])
      return yield* makeHost((yield* ToolRunner.make(toolset)).forRun({ id: "r" }))
    })
    return { done, host: await Effect.runPromise(host) }
  }

  it("by its own handler, before that waits, is interrupted", async () => {
    const controller = new AbortController()
    const { done, host } = await open(controller)
    const ended = host.execute(ToolCall.make("call_1", "stop", {}), { signal: controller.signal })
    await expect(ended).rejects.toBe(stopped)
    expect(done).toEqual(["interrupted"])
  })

  it("while a person is asked for its input does not go on", async () => {
    const controller = new AbortController()
    const { done, host } = await open(controller)
    const ask = () => {
      controller.abort(stopped)
      return { input: "this" }
    }
    await expect(host.execute(ToolCall.make("call_1", "ask", {}), { ask, signal: controller.signal })).rejects.toBe(
      stopped
    )
    expect(done).toEqual([])
  })

  it("after a reply is interrupted", async () => {
    const controller = new AbortController()
    const { done, host } = await open(controller)
    const ask = () => {
      setTimeout(() => controller.abort(stopped), 5)
      return { input: "this" }
    }
    await expect(host.execute(ToolCall.make("call_1", "ask", {}), { ask, signal: controller.signal })).rejects.toBe(
      stopped
    )
    expect(done).toEqual(["begun", "interrupted"])
  })
})

describe("a server of the Claude Agent SDK", () => {
  const open = async (send: (message: { readonly id: unknown }) => Promise<void>) => {
    const { run, waited } = await openShop()
    const { instance } = await Effect.runPromise(ClaudeAgent.fromRun(run, { name: "shop" }))
    const transport: Parameters<typeof instance.connect>[0] = {
      start: async () => undefined,
      send,
      close: async () => transport.onclose?.()
    }
    await instance.connect(transport)
    // The SDK gives parsed JSON.
    const say = (message: object) => transport.onmessage?.(message as never)
    const call = (id: number, name: string) =>
      say({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } })
    return { call, instance, say, waited }
  }
  const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

  it("answers no call that was cancelled, nor any once it is closed", async () => {
    const sent: Array<unknown> = []
    const { call, instance, say, waited } = await open(async ({ id }) => void sent.push(id))
    call(1, "wait")
    call(2, "nothing")
    await soon()
    say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
    await soon()
    expect(waited).toEqual({ begun: true, ended: true })
    call(3, "wait")
    await instance.close()
    await soon()
    expect(sent).toEqual([2])
  })

  it("ends no program where its answer reaches no one", async () => {
    const sent: Array<unknown> = []
    const { call } = await open(async ({ id }) => {
      sent.push(id)
      throw new Error("Transport is closed")
    })
    // That it is not handled fails this file.
    call(1, "nothing")
    await soon()
    expect(sent).toEqual([1])
  })
})
