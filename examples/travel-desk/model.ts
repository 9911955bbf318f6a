/** In place of a model of a provider, one of the AI SDK that says what a script has. */
import { simulateReadableStream } from "ai"
import { MockLanguageModelV4 } from "ai/test"

/** What the model says, or a call that it makes. */
export type Line = string | readonly [tool: string, input: object]

export const modelOf = (script: ReadonlyArray<Line>) => {
  let next = 0
  const contentOf = () => {
    const index = next++
    const line = script[index] ?? "Goodbye."
    return typeof line === "string"
      ? { type: "text" as const, text: line }
      : { type: "tool-call" as const, toolCallId: `call_${index}`, toolName: line[0], input: JSON.stringify(line[1]) }
  }
  const endOf = (type: string) => ({
    finishReason: { unified: type === "text" ? ("stop" as const) : ("tool-calls" as const), raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined }
    }
  })
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = contentOf()
      return { content: [content], ...endOf(content.type), warnings: [] }
    },
    doStream: async () => {
      const content = contentOf()
      const chunks =
        content.type === "tool-call"
          ? [content]
          : [
              { type: "text-start" as const, id: "1" },
              { type: "text-delta" as const, id: "1", delta: content.text },
              { type: "text-end" as const, id: "1" }
            ]
      return {
        stream: simulateReadableStream({ chunks: [...chunks, { type: "finish" as const, ...endOf(content.type) }] })
      }
    }
  })
}
