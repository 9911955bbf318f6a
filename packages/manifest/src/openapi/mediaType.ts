import { bareType } from "../rest/mediaType.js"

export type Kind = "json" | "form" | "multipart" | "other" | "unsupported"

export const kindOf = (contentType: string): Kind => {
  const type = bareType(contentType)
  // An empty text, or another that names no media type, is a slip: most bodies are JSON.
  if (!type.includes("/") || /^((application|text)\/([^/]+\+)?json|\*\/\*|application\/\*)$/.test(type)) return "json"
  if (type === "application/x-www-form-urlencoded") return "form"
  if (type === "multipart/form-data" || type === "multipart/*") return "multipart"
  return type.startsWith("multipart/") ? "unsupported" : "other"
}

const preference: ReadonlyArray<Kind> = ["json", "multipart", "form", "other"]

/** The one that a model fills most easily: JSON (a patch last), multipart, which can carry files, forms. */
export const preferredType = (contentTypes: ReadonlyArray<string>): string | undefined => {
  const exact = contentTypes.find((type) => bareType(type) === "application/json")
  if (exact !== undefined) return exact
  for (const kind of preference) {
    const found = contentTypes.filter((type) => kindOf(type) === kind)
    if (found.length > 0) return found.find((type) => bareType(type) !== "application/json-patch+json") ?? found[0]
  }
  return undefined
}

/** RFC 7396: what is not there stays as it is. */
export const mergePatch = (contentTypes: ReadonlyArray<string>): string | undefined =>
  contentTypes.find((type) => bareType(type) === "application/merge-patch+json")

export const isSameType = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
