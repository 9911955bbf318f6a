/** Images and files as URLs, by which several APIs carry them. */
import * as Content from "@wield/core/Content"

interface Located {
  readonly mediaType: string
  readonly source: Content.Source
}

/** What a URL says, with `fallback` for a media type that it does not state. Data URLs in Base64 are data. */
export const locate = (url: string, fallback: string): Located => {
  // Not by one pattern: the data may be larger than a pattern can hold.
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  const [mediaType = "", ...parameters] = comma === -1 ? [] : url.slice("data:".length, comma).split(";")
  return parameters.includes("base64")
    ? { mediaType: mediaType || fallback, source: { _tag: "Base64", data: url.slice(comma + 1) } }
    : { mediaType: fallback, source: { _tag: "Url", url } }
}

/** As `locate`, where data may also stand alone. */
const locateOrData = (text: string, fallback: string): Located => {
  const found = locate(text, fallback)
  const isUrl = found.source._tag === "Base64" || /^(data|[a-z][a-z0-9+.-]*:\/)/i.test(text)
  return isUrl ? found : { mediaType: fallback, source: { _tag: "Base64", data: text } }
}

export const imageOf = (text: string): Content.Image => {
  const { mediaType, source } = locateOrData(text, "image/*")
  const isUnknown = mediaType === "image/*" && source._tag === "Base64"
  return new Content.Image({ mediaType: isUnknown ? imageType(source.data) : mediaType, source })
}

export const fileOf = (text: string, fallback: string, filename?: string): Content.File =>
  new Content.File({ ...locateOrData(text, fallback), ...(filename === undefined ? {} : { filename }) })

/** Where an image or file is to be had: its URL, or its data as one. */
export const toUrl = ({ mediaType, source }: Located): string =>
  source._tag === "Url" ? source.url : `data:${mediaType};base64,${source.data}`

const beginnings: ReadonlyArray<readonly [base64: string, mediaType: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["Qk", "image/bmp"]
]

/** The media type of an image for which an API states none, by its first bytes. */
export const imageType = (base64: string): string =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? "image/*"
