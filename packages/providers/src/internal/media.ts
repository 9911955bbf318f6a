/** Images and files as URLs, by which several APIs carry them. */
import type { ToolResult } from "@wield/core"
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

/** A media type by its usual name, without parameters. */
export const plainType = (mediaType: string): string => {
  const plain = mediaType.replace(/;.*$/s, "").trim().toLowerCase()
  return aliases.get(plain) ?? plain
}

const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-wav", "audio/wav"],
  ["text/x-markdown", "text/markdown"]
])

/** Whether an API can fetch what stands there. */
export const isFetched = (source: Content.Source): boolean =>
  source._tag === "Base64" || /^https?:\/\//i.test(source.url)

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** An image as most APIs take one; `undefined` for another type, and for an address of another kind. */
export const readableImage = (image: Content.Image): Content.Image | undefined =>
  isFetched(image.source) ? imageAmong(imageTypes, image) : undefined

/** The image by the usual name of its type; `undefined` for one that is not among these types. */
export const imageAmong = (types: ReadonlySet<string>, image: Content.Image): Content.Image | undefined => {
  const { source } = image
  const mediaType = mediaTypeOf(image)
  // What stands at an address may have a type that is not known.
  const isUnknown = source._tag === "Url" && (mediaType === "image/*" || !mediaType.startsWith("image/"))
  return types.has(mediaType) || isUnknown ? new Content.Image({ mediaType, source }) : undefined
}

/** By its usual name; of an image that states none, by its first bytes. */
export const mediaTypeOf = ({ mediaType, source }: Located): string => {
  const stated = plainType(mediaType)
  return stated === "image/*" && source._tag === "Base64" ? imageType(source.data) : stated
}

export const unreadable = ({ mediaType }: Content.Image | Content.File): string =>
  `The API takes no ${mediaType} from this source; a note stands in its place.`

/**
 * Whether a model reads images. Of a name that is not known it is assumed where an API has many that do: what a tool
 * shows is for the model.
 */
export const readsImages = (model: string | undefined, isAssumed = true): boolean => {
  const name = (model ?? "").toLowerCase().replace(/^.*\//, "")
  return seeing.test(name) || (isAssumed && !textOnly.test(name))
}

/** Words in the names of models that read images, among families that mostly do not. */
const seeing = /vision|multimodal|omni|llava|ocr|janus|qvq|[-\d]vl|\dv(?![a-z\d])|minicpm-v|command-a-plus/

/** Families of which the models read text only, or did up to a version. */
const textOnly = new RegExp(
  `^(${[
    "gpt-3|gpt-4(-32k)?(-\\d{4})?(-preview)?$|gpt-4-turbo-preview|gpt-oss|o1-(mini|preview)|o3-mini",
    "deepseek|kimi-k2(?!\\.)|moonshot|minimax|glm|grok-([123](?!\\d)|beta|code)|command|aya|c4ai",
    "(meta-)?llama-?[123](?!\\d)|codellama|tinyllama|qwen(?!-?3\\.[5-9])|qwq|codeqwen|phi-?[1234](?!\\d)|granite",
    "(open-)?mi[sx]tral(:|-?\\d+x?\\d*b|-nemo|-tiny|-saba|$)|mistral-large-24|mistral-small-2(4|501)|ministral-.*-2410",
    "open-codestral|codestral|mathstral|devstral|voxtral|magistral-.*-250[67]",
    "(code)?gemma(:|-?[12](?!\\d)|-?\\d+b|$)|smollm|olmo|falcon|starcoder|nemotron|hermes|solar|exaone|hunyuan|ernie"
  ].join("|")})`
)

/** Images of results, for an API whose results are text: they follow all results of the turn, as the user's. */
export class FollowingImages {
  readonly #content: Array<Content.Part> = []
  #count = 0

  constructor(readonly isTaken: (image: Content.Image) => boolean) {}

  /** The result with a note in place of each image that follows. `id` is that of its call, where it has one. */
  take(result: ToolResult.ToolResult, name: string, id: string | undefined): ToolResult.ToolResult {
    if (!result.content.some((part) => part._tag === "Image" && this.isTaken(part))) return result
    const content = result.content.map((part) => {
      if (part._tag !== "Image" || !this.isTaken(part)) return part
      const label = `Image ${++this.#count}`
      const call = id === undefined ? name : `${name} (call ${id})`
      this.#content.push(Content.text(`${label}, from the result of ${call}:`), part)
      return Content.text(`${label} (${part.mediaType}) follows the results.`)
    })
    return { ...result, content }
  }

  /** What follows, once; nothing where there is no image. */
  flush(): ReadonlyArray<Content.Part> {
    this.#count = 0
    return this.#content.splice(0)
  }
}
