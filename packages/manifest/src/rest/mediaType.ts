/** What kind a media type is, by which a body is written. */

export type Kind = "json" | "form" | "multipart" | "text"

/** Without its parameters, in small letters. */
export const bareType = (contentType: string): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

export const kindOf = (contentType: string): Kind => {
  const type = bareType(contentType)
  if (/[/+]json$/.test(type)) return "json"
  if (type === "application/x-www-form-urlencoded") return "form"
  return type === "multipart/form-data" ? "multipart" : "text"
}

export const isJson = (contentType: string): boolean => kindOf(contentType) === "json"
