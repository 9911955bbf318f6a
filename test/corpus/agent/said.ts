/** What a request asks of the model, in Wield's words; ids count by their place. */
import { Content, type Json } from "@wield/core"
import { Either } from "effect"
import type { Case } from "../wire/formats.js"
import { plainSchema } from "../wire/normalisations/items.js"
import { isLabel } from "./behindResults.js"
import { isOutputTool } from "./finalOutput.js"
import { parsed, type Words, wordsOf } from "./words.js"

export interface Said {
  readonly instructions: string
  readonly messages: ReadonlyArray<unknown>
  readonly tools: ReadonlyArray<unknown>
  readonly options: unknown
}

export const saidOf = (
  { format, wire }: Case,
  body: Json.JsonObject,
  replacements: ReadonlyMap<string, { readonly recorded: string }>
): Either.Either<Said, string> =>
  Either.match(format.decodeRequest(body), {
    onLeft: (error) => Either.left(error.message),
    onRight: ({ definitions, messages, options }) =>
      Either.right({
        instructions: messages
          .flatMap((message) => (message._tag === "System" && message.text !== "" ? [message.text] : []))
          .join("\n\n"),
        messages: plain(wordsOf(messages), replacements, holdsTextOnly(wire) ? kindOf : withoutName),
        tools: definitions
          .map(({ description, inputSchema, name, provider }) => ({
            name,
            description: description ?? "",
            // What the API itself defines has its settings.
            schema: isOutputTool(name)
              ? "of the output"
              : provider === undefined
                ? plainSchema(inputSchema as Json.JsonObject)
                : provider
          }))
          .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
        options: { choice: options.choice ?? { _tag: "Auto" }, isParallel: options.isParallel ?? true }
      })
  })

/** Formats whose results are text: images follow them, and files are left out, with a note to the model and a loss. */
export const holdsTextOnly = (wire: string): boolean =>
  ["openai-chat", "mistral-chat", "cohere-v2", "ollama-chat"].includes(wire)

type Media = Content.Image | Content.File

/** An image is left out where the model is known to read none, too. */
const kindOf = ({ _tag }: Media): unknown => _tag

/** Bedrock's documents need names, which each client gives. */
const withoutName = ({ mediaType, source }: Media): unknown => ({ mediaType, source })

const plain = (
  words: ReadonlyArray<Words>,
  replacements: ReadonlyMap<string, { readonly recorded: string }>,
  toPlain: (media: Media) => unknown
): ReadonlyArray<unknown> => {
  const places = new Map<string, number>()
  const placeOf = (id: string): number => {
    const place = places.get(id) ?? places.size
    places.set(id, place)
    return place
  }
  const valueOf = (value: unknown): unknown =>
    typeof value === "string" ? (replacements.get(value)?.recorded ?? value) : value
  const out: Array<unknown> = []
  for (let index = 0; index < words.length; index++) {
    const each = words[index]
    if (each?.says === "user") out.push(each)
    if (each?.says === "assistant") {
      const calls = each.calls.map(({ arguments: given, id, name }) => ({ call: placeOf(id), name, given }))
      // Some clients write the JSON of an output with other spaces.
      const text = parsed(each.text.trim())
      if (calls.length > 0 || text !== "") out.push({ says: "assistant", text, calls })
    }
    if (each?.says !== "results") continue
    const behind = mediaBehind(words.slice(index + 1))
    const media = [...each.results.flatMap(({ value }) => mediaOf(value)), ...behind.media]
    index += behind.length
    const results = each.results.map(({ id, isError, value }) => ({
      call: placeOf(id),
      isError,
      value: valueOf(value)
    }))
    out.push(
      media.length === 0
        ? { says: "results", results }
        : // Which words announce them is each client's own.
          {
            says: "results",
            results: results.map(({ call, isError }) => ({ call, isError })),
            media: media.map(toPlain)
          }
    )
  }
  return out
}

const mediaOf = (value: unknown): ReadonlyArray<Media> => {
  if (typeof value === "string")
    return Array.from(value.matchAll(/\[an? (image|file) of type [^\]]* cannot carry in a result\]/g), noted)
  // Contents keep the shape of the core's parts.
  return Array.isArray(value)
    ? (value as ReadonlyArray<unknown>).filter(
        (part): part is Media => typeof part === "object" && part !== null && "source" in part
      )
    : []
}

/** What the model reads of media that were left out. */
const noted = ([, kind]: RegExpMatchArray): Media => {
  const parts = { mediaType: "*/*", source: { _tag: "Url", url: "" } } as const
  return kind === "image" ? new Content.Image(parts) : new Content.File(parts)
}

/** The media in the user's message behind results, and how many messages there are of that. */
const mediaBehind = (
  words: ReadonlyArray<Words>
): { readonly media: ReadonlyArray<Media>; readonly length: number } => {
  const [first, second] = words
  const user = first?.says === "assistant" && first.calls.length === 0 ? second : first
  if (user?.says !== "user") return { media: [], length: 0 }
  const media = mediaOf(user.content)
  return media.length > 0 && user.content.every((part) => typeof part === "object" || isLabel(part))
    ? { media, length: user === first ? 1 : 2 }
    : { media: [], length: 0 }
}
