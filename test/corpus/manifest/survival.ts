/** Whether a definition comes through a wire format: offered, read back, and called. */
import type { Json, ToolDefinition } from "@wield/core"
import { Turn } from "@wield/core"
import { Either } from "effect"
import { isDeepStrictEqual } from "node:util"
import { responseOf, type Wire } from "../bfcl/responses.js"
import { attempt, Thrown } from "../wire/attempt.js"
import { firstDifference } from "../wire/firstDifference.js"

export interface Survival {
  /** What went wrong. */
  readonly failure: string | undefined
  readonly losses: number
  /** The schema is sent otherwise than it is, for the format cannot say it. */
  readonly isChanged: boolean
}

export const survival = (wire: Wire, definition: ToolDefinition.ToolDefinition): Survival => {
  const { format } = wire
  const offered = attempt(() => format.encodeTools([definition]))
  if (offered instanceof Thrown) return failed(`encodeTools threw ${offered.reason}`)
  const { body, losses } = offered
  const request = attempt(() => format.decodeRequest({ ...body, [format.historyKey]: [] }))
  if (request instanceof Thrown) return failed(`decodeRequest threw ${request.reason}`)
  if (Either.isLeft(request)) return failed(`what was offered is not read back: ${request.left.message}`)
  const [read] = request.right.definitions
  if (read === undefined) return failed("what was offered is not read back")
  if (read.description !== definition.description) {
    return failed(`description: ${firstDifference(definition.description, read.description)}`)
  }
  const expected = withoutConst(definition.inputSchema)
  const found = withoutConst(read.inputSchema)
  const isChanged = !isDeepStrictEqual(found, expected)
  if (isChanged && losses.length === 0) {
    return failed(`changed, and no loss says so: ${firstDifference(expected, found)}`)
  }
  const called = calledName(wire, definition)
  if (called !== definition.name) return failed(`its call is read as one of ${called}`)
  return { failure: undefined, losses: losses.length, isChanged }
}

const failed = (failure: string): Survival => ({ failure, losses: 0, isChanged: false })

/** The name that a call has which a model makes of the tool. */
const calledName = (wire: Wire, definition: ToolDefinition.ToolDefinition): string => {
  const response = responseOf(wire, [definition], { name: definition.name, arguments: {} })
  return Either.match(wire.format.decodeTurn(response, { definitions: [definition] }), {
    onLeft: ({ message }) => message,
    onRight: (turn) =>
      Turn.calls(turn)
        .map(({ name }) => name)
        .join(", ")
  })
}

/** Gemini's models do not follow `const`, so it is said there as an `enum` of one: which means the same. */
const withoutConst = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutConst)
  if (typeof value !== "object" || value === null) return value
  const { const: only, ...rest } = value as Json.JsonSchema
  const entries = Object.entries(rest).map(([key, inner]) => [key, withoutConst(inner)])
  if (only === undefined || typeof only === "object") return Object.fromEntries(entries)
  return { type: typeof only, ...Object.fromEntries(entries), enum: [only] }
}
