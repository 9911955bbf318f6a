import type { Chunk, Message } from "../../UiMessages.js"

/** What the AI SDK makes of these chunks. */
export const draw = (chunks: ReadonlyArray<Chunk>): Message | undefined => {
  const parts: Array<{ type: string; [field: string]: unknown }> = []
  const blocks = new Map<string, { text: string; state?: string }>()
  let id: string | undefined
  const call = (toolCallId: string) => parts.findLast((part) => part["toolCallId"] === toolCallId) ?? {}
  for (const chunk of chunks) {
    switch (chunk.type) {
      case "start":
        id = chunk.messageId
        break
      case "start-step":
        parts.push({ type: "step-start" })
        break
      case "text-start":
      case "reasoning-start": {
        const part = { type: chunk.type.slice(0, -"-start".length), text: "", state: "done" }
        blocks.set(chunk.id, part)
        parts.push(part)
        break
      }
      case "text-delta":
      case "reasoning-delta": {
        const part = blocks.get(chunk.id)
        if (part !== undefined) part.text += chunk.delta
        break
      }
      case "tool-input-available": {
        const { input, toolCallId, toolName } = chunk
        parts.push({ type: `tool-${toolName}`, toolCallId, state: "input-available", input })
        break
      }
      case "tool-approval-request":
        Object.assign(call(chunk.toolCallId), {
          state: "approval-requested",
          approval: { id: chunk.approvalId, ...(chunk.reason === undefined ? {} : { requestReason: chunk.reason }) }
        })
        break
      case "tool-output-available":
        Object.assign(call(chunk.toolCallId), { state: "output-available", output: chunk.output })
        break
      case "tool-output-error":
        Object.assign(call(chunk.toolCallId), { state: "output-error", errorText: chunk.errorText })
        break
      case "file":
        parts.push({ type: "file", mediaType: chunk.mediaType, url: chunk.url })
        break
      case "source-url":
        parts.push({ ...chunk })
        break
      case "data-request":
        parts.push({ type: chunk.type, id: chunk.id, data: chunk.data })
        break
      default:
      // The recorded past has no pieces, and nothing that broke.
    }
  }
  return id === undefined ? undefined : { id, role: "assistant", parts }
}
