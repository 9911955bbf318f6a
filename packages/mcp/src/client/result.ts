/**
 * What a tool's handler makes of an answer to `tools/call`: the value that the
 * model reads, once.
 */
import type { JsonSchema } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { partOfBlock } from "../internal/content.js"
import type { CallResult, OutputCheck } from "../McpClient.js"

/** The value of a success, or the failure that the model reads. */
export const answerOf = (
  result: CallResult,
  validator: JsonSchema.Validator | undefined,
  check: OutputCheck
): Effect.Effect<unknown, unknown> => {
  const parts = result.content.map(partOfBlock)
  const { structuredContent: structured } = result
  if (result.isError === true) return Effect.fail(failureOf(parts, structured))
  if (structured === undefined) return Effect.succeed(new Content.Answer({ parts }))
  const problem = check === "off" ? undefined : mismatch(validator, structured)
  if (problem !== undefined && check === "strict") return Effect.fail(`The server's result is invalid: ${problem}`)
  const note =
    problem === undefined ? [] : [Content.text(`The result does not fit the tool's output schema: ${problem}`)]
  if (isRepeated(parts, structured)) {
    return Effect.succeed(
      note.length === 0 ? structured : new Content.Answer({ parts: [Content.json(structured), ...note] })
    )
  }
  return Effect.succeed(new Content.Answer({ parts: [...parts, Content.json(structured), ...note] }))
}

const mismatch = (validator: JsonSchema.Validator | undefined, structured: unknown): string | undefined => {
  if (validator === undefined || validator.isValid(structured)) return undefined
  const issues = Either.match(validator.validate(structured), { onLeft: (all) => all, onRight: () => [] })
  return issues.slice(0, 3).map(Issue.toText).join("; ")
}

/** Servers send structured content as text, too, for clients that do not know it. */
const isRepeated = (parts: ReadonlyArray<Content.Part>, structured: unknown): boolean => {
  const [first, ...others] = parts
  if (first === undefined) return true
  if (first._tag !== "Text" || others.length > 0) return false
  if (first.text === structured) return true
  // A text in an object, since a structured result had to be one before 2026-07-28.
  const values = Json.isObject(structured) ? Object.values(structured) : []
  if (values.length === 1 && values[0] === first.text) return true
  try {
    return Json.canonical(JSON.parse(first.text)) === Json.canonical(structured)
  } catch {
    return false
  }
}

/** A failure is a JSON value: images and files are named by their kind. */
const failureOf = (parts: ReadonlyArray<Content.Part>, structured: unknown): unknown => {
  const text = parts
    .map((part) =>
      part._tag === "Text" ? part.text : part._tag === "JsonValue" ? JSON.stringify(part.value) : `(${part.mediaType})`
    )
    .join("\n")
  return text === "" ? (structured ?? "The tool failed without a reason") : text
}
