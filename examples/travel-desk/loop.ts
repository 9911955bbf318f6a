/** The loop of the AI SDK: the page holds the history, and sends it each time. */
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  type ToolApprovalConfiguration,
  type ToolContent,
  type ToolSet
} from "ai"
import type { Desk, Replies, Turn } from "./desk.js"

/** What `generateText` is given beside the messages, for each request. */
export interface Options {
  readonly tools: ToolSet
  readonly toolApproval?: ToolApprovalConfiguration<ToolSet, Record<string, unknown>>
  readonly experimental_toolApprovalSecret?: string
}

export const loopOf = (model: LanguageModel, open: () => Promise<Options>): Desk => {
  const talk = async (messages: Array<ModelMessage>): Promise<Turn> => {
    const { responseMessages, text } = await generateText({
      ...(await open()),
      model,
      messages,
      stopWhen: stepCountIs(10)
    })
    const session = [...messages, ...responseMessages]
    return { session: JSON.stringify(session), text, waiting: waitingOf(session) }
  }
  return {
    say: (text, session = "[]") => talk([...JSON.parse(session), { role: "user", content: text }]),
    reply: (session, replies) => {
      const messages = JSON.parse(session)
      return talk([...messages, { role: "tool", content: partsOf(messages, replies) }])
    }
  }
}

const lastParts = (messages: ReadonlyArray<ModelMessage>) => {
  const { content = [] } = messages.findLast(({ role }) => role === "assistant") ?? {}
  return typeof content === "string" ? [] : content
}

/** Calls without a result, and what of them is to be approved. */
const waitingOf = (messages: ReadonlyArray<ModelMessage>): Turn["waiting"] => {
  const done = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
  )
  return lastParts(messages).flatMap((part) =>
    part.type === "tool-call" && !done.includes(part.toolCallId)
      ? [{ id: part.toolCallId, tool: part.toolName, input: part.input }]
      : []
  )
}

const partsOf = (messages: ReadonlyArray<ModelMessage>, replies: Replies): ToolContent =>
  lastParts(messages).flatMap((part): ToolContent => {
    const reply =
      part.type === "tool-call" || part.type === "tool-approval-request" ? replies[part.toolCallId] : undefined
    if (part.type === "tool-call" && reply !== undefined && "result" in reply) {
      const { toolCallId, toolName } = part
      return [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: reply.result } }]
    }
    return part.type === "tool-approval-request" && reply !== undefined && "approved" in reply
      ? [{ type: "tool-approval-response", approvalId: part.approvalId, ...reply }]
      : []
  })
