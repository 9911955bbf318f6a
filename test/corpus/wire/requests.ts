/** Checks on a request body: into Wield's words and back. */
import type { Json, ToolDefinition } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import { Either } from "effect"
import { attempt, Thrown } from "./attempt.js"
import type { Case } from "./formats.js"
import type { Ledger } from "./Ledger.js"
import { applied, remaining } from "./remaining.js"

export const checkRequest = (
  file: string,
  body: Json.JsonObject,
  { differences, format }: Case,
  ledger: Ledger
): void => {
  ledger.counts.requests++
  const check = (isMet: boolean, failure: () => string) => ledger.check(isMet, () => `${file}: ${failure()}`)
  const { decodeRequest, encodeRequest } = format
  const decoded = attempt(() => decodeRequest(body))
  if (decoded instanceof Thrown || Either.isLeft(decoded)) {
    check(false, () => (decoded instanceof Thrown ? decoded.reason : `request not decoded: ${decoded.left.message}`))
    return
  }
  const request = decoded.right
  const compare = (
    what: string,
    expected: Json.JsonObject,
    made: () => Json.JsonObject,
    allowed: Case["differences"]
  ) => {
    const found = attempt(made)
    if (found instanceof Thrown) {
      check(false, () => `${what}: ${found.reason}`)
      return
    }
    const left = remaining(expected, found, allowed, ledger.need)
    check(left === "", () => `${what}: ${left}`)
  }
  const inKept = differences.filter(({ isInKept }) => isInKept === true)
  compare("sent back", body, () => encodeRequest(request).body, inKept)
  compare("said anew", body, () => encodeRequest(stripped(request)).body, differences)

  // Only what a request says of tools; what it cannot say of them stands in its settings.
  const tools = attempt(() => format.encodeTools(request.definitions.map(withoutNative), request.options).body)
  if (tools instanceof Thrown) check(false, () => `encodeTools threw ${tools.reason}`)
  else compare("tools", picked(body, applied(body, differences), Object.keys(tools)), () => tools, differences)
}

/** A request without anything that was kept verbatim, but for its settings. */
const stripped = (request: WireFormat.Request): WireFormat.Request => ({
  ...request,
  messages: request.messages.map((message) => ({ ...message, native: undefined })),
  definitions: request.definitions.map(withoutNative)
})

const withoutNative = (definition: ToolDefinition.ToolDefinition): ToolDefinition.ToolDefinition => ({
  ...definition,
  native: undefined
})

/** The body's own keys, and those that it has under another name (`functions`, before there were `tools`). */
const picked = (body: Json.JsonObject, changed: Json.JsonObject, keys: ReadonlyArray<string>): Json.JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = body[key] ?? changed[key]
      return value === undefined ? [] : [[key, value]]
    })
  )
