/** The response bodies of four APIs, one a file, written for this example after each API's documentation. */
import { readFileSync } from "node:fs"

const fileNames = ["openai-chat.json", "openai-responses.json", "anthropic.json", "gemini.json"] as const

export interface Body {
  readonly fileName: string
  readonly json: unknown
}

export const readBodies = (): ReadonlyArray<Body> =>
  fileNames.map((fileName) => ({
    fileName,
    json: JSON.parse(readFileSync(new URL(`bodies/${fileName}`, import.meta.url), "utf8"))
  }))
