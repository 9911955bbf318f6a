/** Form 1: the AI SDK alone, with its own tools in its own loop. */
import { type LanguageModel, tool } from "ai"
import { z } from "zod"
import type { Desk } from "./desk.js"
import { loopOf } from "./loop.js"
import { descriptions, inputs, type Travel } from "./travel.js"

/** `secret` is the SDK's own: it signs its requests for approval. */
export const openDesk = (travel: Travel, model: LanguageModel, traveller: string, secret?: string): Desk => {
  const tools = {
    search: tool({ description: descriptions.search, inputSchema: inputs.search, execute: travel.search }),
    hold: tool({
      description: descriptions.hold,
      inputSchema: inputs.hold,
      execute: ({ flight }) => travel.hold(flight, traveller)
    }),
    book: tool({
      description: descriptions.book,
      inputSchema: inputs.book,
      execute: (booking) => travel.book({ ...booking, traveller }),
      needsApproval: true
    }),
    weather: tool({ description: descriptions.weather, inputSchema: inputs.weather, execute: travel.weather }),
    receipt: tool({
      description: descriptions.receipt,
      inputSchema: inputs.receipt,
      execute: travel.receipt,
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: output } }]
      })
    }),
    // The page runs it.
    show_map: tool({ description: descriptions.showMap, inputSchema: inputs.showMap, outputSchema: z.string() })
  }
  return loopOf(model, async () =>
    secret === undefined ? { tools } : { tools, experimental_toolApprovalSecret: secret }
  )
}
