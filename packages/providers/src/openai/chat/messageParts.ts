/**
 * The parts of one assistant message, wherever it came from: a response, the
 * pieces of a stream put together, or the history of a request.
 */
import type { Turn } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../../internal/wireField.js"
import type { WireError } from "../../WireError.js"
import type { CallReader } from "./callParts.js"
import { callEntries, executedToolPart, functionCallPart, toolCallPart } from "./callParts.js"
import { textParts } from "./textParts.js"

export const messageParts = (
  format: string,
  message: Fields,
  reader: CallReader,
  path: ReadonlyArray<string | number>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> =>
  Either.flatMap(callEntries(format, message["executed_tools"], [...path, "executed_tools"]), (executed) =>
    Either.map(callEntries(format, message["tool_calls"], [...path, "tool_calls"]), (calls) => {
      const parts: Array<Turn.Part> = executed.map((entry, index) => executedToolPart(entry, index, reader))
      parts.push(...textParts(message, format))
      for (const [index, entry] of calls.entries()) parts.push(toolCallPart(entry, index, reader))
      const call = calls.length === 0 ? functionCallPart(message, reader) : undefined
      if (call !== undefined) parts.push(call)
      return parts
    })
  )
