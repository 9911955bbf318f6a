/**
 * Images and files as these APIs have them: one string, which is a URL, a data
 * URL, or bare base64.
 */
import { Content } from "@wield/core"
import { imageType } from "../../internal/imageType.js"

interface Located {
  readonly mediaType: string
  readonly source: Content.Source
}

/** `fallback` is the media type of a string that states none. */
export const located = (text: string, fallback: string): Located => {
  // Not by one pattern: the data may be larger than a pattern can hold.
  const comma = text.startsWith("data:") ? text.indexOf(",") : -1
  if (comma !== -1) {
    const [mediaType = "", ...parameters] = text.slice("data:".length, comma).split(";")
    if (parameters.includes("base64")) {
      return {
        mediaType: mediaType === "" ? fallback : mediaType,
        source: { _tag: "Base64", data: text.slice(comma + 1) }
      }
    }
  }
  return /^(data|[a-z][a-z0-9+.-]*:\/)/i.test(text)
    ? { mediaType: fallback, source: { _tag: "Url", url: text } }
    : { mediaType: fallback, source: { _tag: "Base64", data: text } }
}

export const toUrl = ({ mediaType, source }: Located): string =>
  source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`

export const imageOf = (text: string): Content.Image => {
  const { mediaType, source } = located(text, "image/*")
  const isUnknown = mediaType === "image/*" && source._tag === "Base64"
  return new Content.Image({ mediaType: isUnknown ? imageType(source.data) : mediaType, source })
}

export const fileOf = (text: string, fallback: string, filename?: string): Content.File =>
  new Content.File({ ...located(text, fallback), ...(filename === undefined ? {} : { filename }) })
