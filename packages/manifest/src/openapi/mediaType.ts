/** Media types of bodies and answers. */

export type Kind = "json" | "form" | "multipart" | "other"

export const kindOf = (contentType: string): Kind => {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  if (/^(application|text)\/([^/]+\+)?json$/.test(type) || type === "*/*" || type === "application/*") return "json"
  if (type === "application/x-www-form-urlencoded") return "form"
  return type === "multipart/form-data" ? "multipart" : "other"
}

const preference: ReadonlyArray<Kind> = ["json", "multipart", "form", "other"]

/** The one that a model fills most easily: JSON before multipart, which can carry files, before forms. */
export const preferred = (contentTypes: ReadonlyArray<string>): string | undefined => {
  const exact = contentTypes.find((type) => type.toLowerCase() === "application/json")
  if (exact !== undefined) return exact
  for (const kind of preference) {
    const found = contentTypes.find((type) => kindOf(type) === kind)
    if (found !== undefined) return found
  }
  return undefined
}
