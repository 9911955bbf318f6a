/**
 * What can be saved of a response that @effect/ai gave up because of a call: of
 * a tool it did not offer, or with arguments that are no JSON.
 */
import { type AiError, Response } from "@effect/ai"
import type { TurnEvent } from "@wield/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ResponseReader } from "./languageModelReader.js"
import { type Offering, unadvertised } from "./languageModelTools.js"

/** Fails with the same error where nothing can be saved. */
export const rescue = (
  error: AiError.AiError,
  { tools }: Offering,
  reader: ResponseReader
): Effect.Effect<ReadonlyArray<TurnEvent.TurnEvent>, AiError.AiError> => {
  if (error._tag !== "MalformedOutput") return Effect.fail(error)
  const raw = undecoded(error.cause)
  if (raw === undefined) {
    const events = reader.broken(error.description ?? "")
    return events === undefined ? Effect.fail(error) : Effect.succeed(events)
  }
  if (!raw.some((part) => isUnknown(part, tools))) return Effect.fail(error)
  const all = { ...tools, [placeholder]: unadvertised(placeholder) }
  const decode = Schema.decodeUnknown(Response.AllParts({ tools: all, handle: () => Effect.never }))
  return Effect.forEach(raw, (part) =>
    isUnknown(part, tools)
      ? Effect.map(
          decode({ ...part, name: placeholder }),
          (decoded) => ({ ...decoded, name: part.name }) as typeof decoded
        )
      : decode(part)
  ).pipe(
    Effect.map((parts) => parts.flatMap((part) => reader.push(part))),
    Effect.mapError(() => error)
  )
}

/** Stands for an unknown name while its part is decoded: a name that no provider accepts, hence no tool's. */
const placeholder = "?"

const isUnknown = (part: RawPart, tools: Offering["tools"]): boolean =>
  (part.type === "tool-call" || part.type === "tool-result") &&
  typeof part.name === "string" &&
  // Schema finds a member of a union by an object's keys, among which this one cannot be.
  (!Object.hasOwn(tools, part.name) || part.name === "__proto__")

interface RawPart {
  readonly type: unknown
  readonly name?: unknown
}

/** The parts that did not decode: the whole response, or of a stream what one event of it told. */
const undecoded = (cause: unknown): ReadonlyArray<RawPart> | undefined => {
  if (!ParseResult.isParseError(cause)) return undefined
  const { actual } = cause.issue
  const parts: ReadonlyArray<unknown> = Chunk.isChunk(actual)
    ? Chunk.toReadonlyArray(actual)
    : Array.isArray(actual)
      ? actual
      : []
  return parts.length > 0 && parts.every(isPart) ? parts : undefined
}

const isPart = (value: unknown): value is RawPart => Predicate.hasProperty(value, "type")
