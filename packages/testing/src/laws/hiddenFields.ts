/**
 * The law of hidden fields: none is in a definition or in an error text for the
 * model, and no value sent for one reaches a handler.
 */
import type { CallContext, Toolset } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { asSent, callOnce, endingOf, forEachTool, withValid } from "./calling.js"
import type { LawReport, Violation } from "../Laws.js"
import type { Verdict } from "./property.js"
import type { Subject } from "./subject.js"

const law = "hidden-fields"

const forged = "a value that the model sent for a hidden field"

export const hiddenFields = <R, E>(subject: Subject<R, E>): Effect.Effect<LawReport, E, R> => {
  const hiding = [...subject.entries].filter(([, entry]) => entry.hidden !== undefined)
  const tools = hiding.map(([name]) => name)
  return Effect.map(
    forEachTool(law, subject, tools, {
      arbitrary: (valid) =>
        FastCheck.record({ value: valid, isText: FastCheck.boolean(), removed: FastCheck.option(FastCheck.nat()) }),
      holds: (tool, { isText, removed, value }, encode, entry) =>
        withValid(encode(value), (valid) => {
          const input = forgedArguments(entry, subject.context, valid, removed)
          return Effect.map(callOnce(subject.dry, tool, asSent(input, isText)), ({ outcome, received }): Verdict => {
            if (textOf(received).includes(forged)) {
              return { message: "a value that the model sent for a hidden field reached the handler", input }
            }
            if (outcome?._tag === "InvalidArguments" && removed !== null) {
              const found = secretIn(Outcome.text(outcome) ?? "", entry, subject.context)
              return found === undefined
                ? undefined
                : { message: `the error text for the model has ${found} in it`, input }
            }
            return outcome?._tag === "Success" || outcome?._tag === "Deferred"
              ? undefined
              : { message: `a call with values for hidden fields ${endingOf(outcome)}`, input }
          })
        })
    }),
    (report) => ({
      ...report,
      violations: [...hiding.flatMap(([, entry]) => leaksOf(entry, subject.context)), ...report.violations]
    })
  )
}

/** Decoded parameters may hold a bigint, which JSON does not have. */
const textOf = (received: unknown): string =>
  JSON.stringify(received, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** The folded names, in upper case too, and the names as the call context spells them. */
const spellings = (entry: Toolset.Entry, context: CallContext.Values): ReadonlyArray<string> => {
  const folded = [...(entry.hidden?.foldedKeys ?? [])]
  const spelled = Object.keys(entry.hidden?.given(context) ?? {})
  return [...new Set([...folded, ...spelled, ...folded.map((name) => name.toUpperCase())])]
}

/** Visible arguments, perhaps without one of them, and a value for each spelling of each hidden field. */
const forgedArguments = (
  entry: Toolset.Entry,
  context: CallContext.Values,
  valid: unknown,
  removed: number | null
): unknown => {
  const fields = Json.isObject(valid) ? Object.entries(valid) : []
  const kept = removed === null ? fields : fields.filter((_, index) => index !== removed % fields.length)
  return Object.fromEntries([...kept, ...spellings(entry, context).map((name) => [name, forged] as const)])
}

/** A name of plain lower-case letters may be an ordinary word of a description. */
const isDistinct = (name: string): boolean => /[^a-z]/.test(name)

const leaksOf = (entry: Toolset.Entry, context: CallContext.Values): ReadonlyArray<Violation> => {
  const { definition } = entry
  const { description, facts, inputSchema, name } = definition
  const isHidden = (key: unknown): boolean =>
    typeof key === "string" && entry.hidden?.foldedKeys.has(key.toLowerCase()) === true
  const keysOf = (value: unknown): ReadonlyArray<string> => (Json.isObject(value) ? Object.keys(value) : [])
  const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
  const places: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ["inputSchema.properties", keysOf(inputSchema["properties"])],
    ["inputSchema.required", listed(inputSchema["required"])],
    ["inputSchema.propertyOrdering", listed(inputSchema["propertyOrdering"])],
    ["inputSchema.examples", listed(inputSchema["examples"]).flatMap(keysOf)],
    ["facts.examples", facts.examples.flatMap(keysOf)]
  ]
  const named = places.flatMap(([place, keys]) => keys.filter(isHidden).map((key) => `${place} has ${String(key)}`))
  const text = JSON.stringify([description, inputSchema])
  const spelled = Object.keys(entry.hidden?.given(context) ?? {})
  const worded = spelled.flatMap((key) =>
    isDistinct(key) && text.includes(key) ? [`its description or input schema names ${key}`] : []
  )
  const valued = secretValues(entry, context).flatMap((value) =>
    text.includes(value) ? ["its definition has the value of a hidden field in it"] : []
  )
  return [...named, ...worded, ...valued].map((message) => ({ law, tool: name, message, counterexample: undefined }))
}

/** Values that are too long to match by chance. */
const secretValues = (entry: Toolset.Entry, context: CallContext.Values): ReadonlyArray<string> =>
  Object.values(entry.hidden?.given(context) ?? {}).filter(
    (value): value is string => typeof value === "string" && value.length >= 4
  )

const secretIn = (text: string, entry: Toolset.Entry, context: CallContext.Values): string | undefined => {
  if (text.includes(forged)) return "the value that it sent for a hidden field"
  if (secretValues(entry, context).some((value) => text.includes(value))) return "the value of a hidden field"
  const name = Object.keys(entry.hidden?.given(context) ?? {}).find((key) => isDistinct(key) && text.includes(key))
  return name === undefined ? undefined : `the name ${name} of a hidden field`
}
