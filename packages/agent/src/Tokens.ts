/**
 * How many tokens a model takes for a message: by its own tokenizer where that
 * is public, by an estimate that errs high where it is not.
 */
import type { Message, ToolDefinition, Content, Json, Turn } from "@wield/core"
import { aFunction, aName, aNumber, orThrow } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { estimateTokens } from "./tokens/estimated.js"

/**
 * Counts tokens. Messages and definitions are remembered by identity, as long
 * as they are in memory.
 *
 * @category models
 */
export interface Counts {
  readonly text: (text: string) => number
  /** A message, what frames it included. */
  readonly message: (message: Message.Message) => number
  /** One tool as a model is shown it, without what an API adds once for all tools. */
  readonly definition: (definition: ToolDefinition.ToolDefinition) => number
  /** Tools as a model is shown them, with what an API adds for them. */
  readonly definitions: (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => number
}

/**
 * What counts tokens, once it is loaded.
 *
 * @category models
 */
export interface Counter {
  /** Says which tokenizer counts, such as `o200k_base`, or `estimate`. */
  readonly name: string
  readonly counts: Effect.Effect<Counts>
}

/**
 * An encoding of OpenAI: `o200k_base` of GPT-4o and later, o1 and later,
 * gpt-oss; `cl100k_base` of GPT-4 and GPT-3.5.
 *
 * @category models
 */
export type Encoding = "o200k_base" | "cl100k_base"

/**
 * The tokens of an image, whatever its size. Anthropic takes at most about 1,600 (width times height by 750, scaled
 * down to 1,568 pixels), OpenAI's models 85 to 1,445 at high detail, Gemini 258 a tile.
 *
 * @category constants
 */
export const imageTokens: number = 1600

/**
 * A counter from a function that counts the tokens of a text: a tokenizer of
 * your own.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tokens } from "@wield/agent"
 * import { Effect } from "effect"
 *
 * const words = Tokens.make("words", (text) => text.split(" ").length)
 * const counts = Effect.runSync(words.counts)
 * assert.strictEqual(counts.text("as many as words"), 4)
 * // and 4 for what frames a message
 * assert.strictEqual(counts.message({ _tag: "System", text: "Be brief", native: undefined }), 6)
 * ```
 *
 * @category constructors
 */
export const make = (name: string, text: (text: string) => number): Counter => {
  orThrow(aName(name, ["name"]) ?? aFunction(text, ["text"]))
  // Of a promise, or NaN, no budget is ever exceeded.
  const count = (given: string): number => {
    const tokens = text(given)
    orThrow(aNumber(tokens), `What the counter ${name} gives`)
    return tokens
  }
  return { name, counts: Effect.succeed(countsOf(count, perTools)) }
}

/**
 * An estimate without a tokenizer, from the words, numbers and signs of a text
 * and the script that it is written in.
 *
 * Compared with `o200k_base`, prose, code and data come out as many to 1.8
 * times as many, lists of names in small languages at worst 12 % too few. A
 * tokenizer of fewer words (GPT-4's and older ones) can take three times as
 * many for what is not written in Latin letters. Offering tools counts 850 once,
 * since APIs add instructions of that size for their model.
 *
 * @category constructors
 */
export const estimate = (): Counter => make("estimate", estimateTokens)

/**
 * OpenAI's own tokenizer, `o200k_base` unless given. It needs the optional peer
 * `gpt-tokenizer`, which takes 27 MB, and dies with what to install where that
 * is missing. It is loaded when it is first used, which takes some 100 ms and
 * some 70 MB of memory. Messages and definitions are counted with what frames
 * them, which OpenAI does not publish for all models: that part is an estimate.
 *
 * @category constructors
 */
export const openAi = (encoding: Encoding = "o200k_base"): Counter => {
  const counts = loadCounts(encoding)
  return { name: encoding, counts: Effect.orDie(counts) }
}

/**
 * The counter for a model: OpenAI's tokenizer for OpenAI's models, through
 * whatever API that carries them, the estimate for all others. Where
 * `gpt-tokenizer` is not installed, a warning says so, and the estimate counts.
 *
 * @category constructors
 */
export const forModel = (format: string, modelId: string): Counter => {
  if (foreign.has(format)) return estimate()
  if (newer.test(modelId)) return orEstimate("o200k_base")
  return older.test(modelId) ? orEstimate("cl100k_base") : estimate()
}

const orEstimate = (encoding: Encoding): Counter => {
  const counts = loadCounts(encoding)
  const instead = estimate()
  let isMissing = false
  return {
    get name() {
      return isMissing ? instead.name : encoding
    },
    counts: Effect.suspend(() =>
      isMissing
        ? instead.counts
        : Effect.catchAll(counts, ({ message }) => {
            isMissing = true
            return Effect.zipRight(Effect.logWarning(`${message}; an estimate counts instead`), instead.counts)
          })
    )
  }
}

/** Formats of APIs that have no model of OpenAI, whatever its name. */
const foreign: ReadonlySet<string> = new Set(["anthropic", "gemini", "mistral", "cohere-v2"])

/** A router or a cloud puts its own name before. */
const newer = /(?:^|[/.])(?:gpt-4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|chatgpt-4o|o[1-9](?:-|$))/

const older = /(?:^|[/.])(?:gpt-4|gpt-3\.5|gpt-35)/

interface Tokenizer {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number
}

class TokenizerMissing extends Error {
  constructor(
    encoding: Encoding,
    override readonly cause: unknown
  ) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause)
    super(`The tokenizer ${encoding} cannot be loaded (${reason}): npm install gpt-tokenizer@4`)
  }
}

/** OpenAI's tokenizers, loaded when first used: each is one to two megabytes. */
const load = async (encoding: Encoding): Promise<Either.Either<Tokenizer, TokenizerMissing>> => {
  // Where an import is tried, bundlers leave outside what is not installed.
  try {
    return Either.right(
      encoding === "o200k_base"
        ? await import("gpt-tokenizer/encoding/o200k_base")
        : await import("gpt-tokenizer/encoding/cl100k_base")
    )
  } catch (cause) {
    return Either.left(new TokenizerMissing(encoding, cause))
  }
}

const loadCounts = (encoding: Encoding): Effect.Effect<Counts, TokenizerMissing> => {
  let loaded: Counts | undefined
  return Effect.suspend(() =>
    loaded !== undefined
      ? Effect.succeed(loaded)
      : Effect.map(
          Effect.flatten(Effect.promise(() => load(encoding))),
          (tokenizer) => (loaded ??= countsOf(textCounter(tokenizer), 12))
        )
  )
}

const textCounter = (tokenizer: Tokenizer): ((text: string) => number) => {
  // What looks like a special token is text in a message: the API takes it so, and the library would throw.
  const options = { disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start)
      tokens += tokenizer.countTokens(text.slice(start, end), options)
      start = end
    }
    return tokens
  }
}

/**
 * The library takes time that grows with the square of an unbroken run: 8 s for
 * 50,000 Chinese characters without punctuation. So a text goes to it in pieces
 * of at most this many UTF-16 units.
 */
const longest = 512

/**
 * A piece ends before a space, where both encodings begin a new token anyway.
 * Without it, a cut costs a token at most.
 */
const pieceEnd = (text: string, start: number): number => {
  const limit = start + longest
  if (limit >= text.length) return text.length
  for (let end = limit; end > start; end--) {
    if (text[end] === " " && !isSpace.test(text[end - 1] ?? " ")) return end
  }
  // Not between the halves of a pair.
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit
}

const isSpace = /\s/

/** Role and separators of one message: 4 of OpenAI's chat format. */
const perMessage = 4

/** What names a call, its tool and its arguments to the model. */
const perCall = 8

/** What frames one result. */
const perResult = 6

/** What frames one definition. */
const perDefinition = 10

/** Characters of base64 a token of a file: a page of PDF is some 100 kB and some 3,000 tokens, plain text four a token. */
const base64PerToken = 8

/** Characters of base64 a token of reasoning that a provider sends encrypted. */
const encryptedPerToken = 4

/**
 * What an API tells its model of calling tools as soon as one is offered. Read
 * off recorded requests: 530 to 850 for Claude, some 680 for Llama 4, next to
 * nothing for OpenAI's models.
 */
const perTools = 850

/** Tokens of messages and definitions, from those of their texts. */
const countsOf = (text: (text: string) => number, whereTools: number): Counts => {
  // By identity: a message never changes, and a conversation is counted again before every step.
  const counted = new WeakMap<object, number>()
  const remembered = <A extends object>(value: A, count: (value: A) => number): number => {
    const known = counted.get(value)
    if (known !== undefined) return known
    const tokens = count(value)
    counted.set(value, tokens)
    return tokens
  }
  const json = (value: unknown): number => text(JSON.stringify(value) ?? "null")
  const content = (part: Content.Part): number => {
    switch (part._tag) {
      case "Text":
        return text(part.text)
      case "JsonValue":
        return typeof part.value === "string" ? text(part.value) : json(part.value)
      case "Image":
        return imageTokens
      case "File":
        return part.source._tag === "Url"
          ? imageTokens
          : Math.max(imageTokens, Math.ceil(part.source.data.length / base64PerToken))
    }
  }
  const part = (value: Turn.Part): number =>
    value._tag === "Call"
      ? perCall +
        text(value.call.name) +
        (typeof value.call.arguments === "string" ? text(value.call.arguments) : json(value.call.arguments))
      : text(value.text)
  const message = (value: Message.Message): number => {
    switch (value._tag) {
      case "System":
        return perMessage + text(value.text)
      case "User":
        return sum(value.content, content, perMessage)
      case "Assistant":
        return sum(value.parts, part, perMessage) + encryptedTokens(value)
      case "Results":
        return sum(value.results, (result) => sum(result.content, content, perResult + text(result.name)), perMessage)
    }
  }
  const definition = (value: ToolDefinition.ToolDefinition): number =>
    perDefinition + text(value.name) + text(value.description ?? "") + json(value.inputSchema)
  return {
    text,
    message: (value) => remembered(value, message),
    definition: (value) => remembered(value, definition),
    definitions: (values) => sum(values, (value) => remembered(value, definition), values.length === 0 ? 0 : whereTools)
  }
}

const sum = <A>(values: ReadonlyArray<A>, count: (value: A) => number, start: number): number => {
  let tokens = start
  for (const value of values) tokens += count(value)
  return tokens
}

/** Reasoning of which no text is shown goes back all the same, in the provider's own message. */
const encryptedTokens = (message: Message.Assistant): number => {
  const isHidden = message.parts.some((part) => part._tag === "Reasoning" && part.text === "")
  return isHidden && message.native !== undefined ? Math.ceil(longStrings(message.native.json) / encryptedPerToken) : 0
}

/** What is shorter than this is no encrypted reasoning. */
const shortestEncrypted = 64

/** The length of what is encrypted in a message: its long strings without a space. */
const longStrings = (value: Json.Json): number => {
  if (typeof value === "string") return value.length >= shortestEncrypted && !/\s/.test(value) ? value.length : 0
  if (typeof value !== "object" || value === null) return 0
  return sum(Object.values(value), longStrings, 0)
}
