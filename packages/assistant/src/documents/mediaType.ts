/** What a document is, by what is said of it, by its address, or by how it begins. */

export interface MediaType {
  /** Without parameters, in lower case. */
  readonly name: string
  readonly charset: string | undefined
}

export type Kind = "text" | "markdown" | "html" | "pdf"

export const parseMediaType = (said: string): MediaType => {
  const [name = "", ...parameters] = said.split(";").map((part) => part.trim())
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter))?.replace(/^[^=]*=\s*/, "")
  return { name: name.toLowerCase(), charset: charset?.replace(/^"(.*)"$/, "$1") }
}

const byExtension: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["mdx", "text/markdown"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["xhtml", "application/xhtml+xml"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"]
])

/** Undefined where neither the address nor the first bytes tell. */
export const guessMediaType = (address: string, content: string | Uint8Array): string | undefined => {
  const beginning = typeof content === "string" ? content.slice(0, 1024) : latin1.decode(content.subarray(0, 1024))
  // No text begins like this, whatever it is called.
  if (beginning.startsWith("%PDF-") && typeof content !== "string") return "application/pdf"
  const path = address.replace(/[?#].*$/s, "")
  const known = byExtension.get(/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "")
  if (known !== undefined) return known
  // Readers of PDF look for this within the first kilobyte.
  if (beginning.includes("%PDF-")) return "application/pdf"
  return /^\s*(?:\u00ef\u00bb\u00bf|\ufeff)?\s*(?:<!doctype html|<html[\s>])/i.test(beginning) ? "text/html" : undefined
}

const latin1 = new TextDecoder("latin1")

/** Undefined where nothing here can read it. */
export const kindOf = (mediaType: string): Kind | undefined => {
  if (mediaType === "application/pdf") return "pdf"
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html"
  if (mediaType === "text/markdown" || mediaType === "text/x-markdown") return "markdown"
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-ndjson)$/.test(mediaType)
    ? "text"
    : undefined
}
