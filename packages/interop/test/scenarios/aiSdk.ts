/** The loops of the AI SDK, 7 and 6, with a model that makes the scripted calls. */
import * as AiSdk from "@wield/interop/ai-sdk"
import * as six from "ai-6"
import { MockLanguageModelV3 } from "ai-6/test"
import * as seven from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { Effect } from "effect"
import type { Call, Driver, Drive, Sent } from "./table.js"

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined }
}

export const answerOf = (calls: ReadonlyArray<Call> | undefined) => ({
  content:
    calls === undefined
      ? [{ type: "text" as const, text: "done" }]
      : calls.map(({ arguments: input, id, name }) => ({
          type: "tool-call" as const,
          toolCallId: id,
          toolName: name,
          input
        })),
  finishReason: { unified: calls === undefined ? ("stop" as const) : ("tool-calls" as const), raw: undefined },
  usage,
  warnings: []
})

interface Request {
  readonly prompt: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
  readonly tools?: unknown
}

/** Results of the prompt of the last request. */
export const sentOf = ({ prompt }: Request): ReadonlyArray<Sent> =>
  prompt
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content as ReadonlyArray<{ type: string; toolCallId: string; output: unknown }>)
    .filter(({ type }) => type === "tool-result")
    .map(({ output, toolCallId }) => ({ id: toolCallId, text: textOf(output) }))

const textOf = (output: unknown): string => {
  const { reason, value } = output as { readonly value?: unknown; readonly reason?: string }
  return typeof value === "string" ? value : (reason ?? JSON.stringify(value))
}

type Generate = (options: object) => Promise<{
  readonly content: ReadonlyArray<unknown>
  readonly response: { readonly messages: ReadonlyArray<object> }
}>

const driverOf = (
  sdk: string,
  ai: { readonly generateText: unknown; readonly stepCountIs: unknown },
  modelOf: typeof make
): Driver => ({
  sdk,
  drive: async ({ alter = (text) => text, calls, later, reply, shop, signal }: Drive) => {
    const requests: Array<Request> = []
    const model = modelOf(requests, calls)
    const generate = ai.generateText as Generate
    const stopWhen = (ai.stepCountIs as (count: number) => unknown)(5)
    const exported = await Effect.runPromise(AiSdk.fromRun(shop.run))
    const prompt = [{ role: "user", content: "go" }]
    const first = await generate({ model, messages: prompt, ...exported, stopWhen, abortSignal: signal })
    const asked = (first.content as ReadonlyArray<{ type: string; approvalId: string }>).filter(
      ({ type }) => type === "tool-approval-request"
    )
    if (asked.length > 0 && reply !== undefined) {
      const saved = JSON.stringify([
        ...prompt,
        ...first.response.messages,
        {
          role: "tool",
          content: asked.map(({ approvalId }) => ({
            type: "tool-approval-response",
            approvalId,
            approved: reply === "approve",
            ...(reply === "deny" ? { reason: "not today" } : {})
          }))
        }
      ])
      const next = later === undefined ? shop : await later()
      const again = await Effect.runPromise(AiSdk.fromRun(next.run))
      await generate({ model, messages: JSON.parse(alter(saved)), ...again, stopWhen })
    }
    return { sent: sentOf(requests.at(-1)!), definitions: JSON.stringify(requests[0]?.tools) }
  }
})

const make = (requests: Array<Request>, calls: ReadonlyArray<Call>): object => {
  const doGenerate = async (request: unknown) => {
    requests.push(request as Request)
    return answerOf(requests.length === 1 ? calls : undefined)
  }
  return new MockLanguageModelV4({ doGenerate })
}

const make6 = (requests: Array<Request>, calls: ReadonlyArray<Call>): object => {
  const doGenerate = async (request: unknown) => {
    requests.push(request as Request)
    return answerOf(requests.length === 1 ? calls : undefined)
  }
  return new MockLanguageModelV3({ doGenerate })
}

export const aiSdk7 = driverOf("AI SDK 7", seven, make)
export const aiSdk6 = driverOf("AI SDK 6", six, make6)
