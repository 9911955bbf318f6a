import { GoogleGenAI } from "@google/genai"
import { fromRun } from "@wield/interop/google-genai"
import { Effect } from "effect"
import type { Driver } from "../test/scenarios/table.js"
import { asking, laterByAsking } from "./asking.js"
import { scriptedFetch } from "./http.js"

const response = (parts: ReadonlyArray<object>) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }]
})

export const google: Driver = {
  sdk: "Google GenAI",
  without: { "broken JSON": "the API parses", ...laterByAsking },
  drive: async ({ calls, reply, shop, signal }) => {
    const parts = calls.map(({ arguments: text, id, name }) => ({ functionCall: { id, name, args: JSON.parse(text) } }))
    const { fetch, requests } = scriptedFetch([response(parts), response([{ text: "done" }])])
    const fetchBefore = globalThis.fetch
    globalThis.fetch = fetch as never
    try {
      const ai = new GoogleGenAI({ apiKey: "none" })
      const tool = await Effect.runPromise(fromRun(shop.run, { ...asking(reply), signal }))
      await ai.models.generateContent({
        model: "gemini",
        contents: "go",
        config: { tools: [tool], automaticFunctionCalling: { maximumRemoteCalls: 5 } }
      })
    } finally {
      globalThis.fetch = fetchBefore
    }
    const last = requests.at(-1).contents.at(-1).parts as ReadonlyArray<any>
    return {
      definitions: JSON.stringify(requests[0].tools),
      sent: last
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse: { id, parts, response } }) => {
          const { error, output } = response
          return {
            id,
            text: error ?? (typeof output === "string" ? output : JSON.stringify(output)) + JSON.stringify(parts ?? "")
          }
        })
    }
  }
}
