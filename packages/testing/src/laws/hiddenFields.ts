/**
 * No hidden field is in a definition or in what a model is told of its
 * mistakes, and no value sent for one reaches a handler.
 */
import { Json, Outcome, type Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { asSent, callOnce, ended, forEachTool, withValid } from "./calling.js"
import type { LawReport, Violation } from "./model.js"
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
          const input = forgedArguments(entry, subject, valid, removed)
          return Effect.map(callOnce(subject.dry, tool, asSent(input, isText)), ({ outcome, received }): Verdict => {
            if (textOf(received).includes(forged)) {
              return { message: "a value that the model sent for a hidden field reached the handler", input }
            }
            if (outcome?._tag === "InvalidArguments" && removed !== null) {
              const told = secretIn(Outcome.text(outcome) ?? "", entry, subject)
              return told === undefined
                ? undefined
                : { message: `what the model is told of its mistake has ${told} in it`, input }
            }
            return outcome?._tag === "Success" || outcome?._tag === "Deferred"
              ? undefined
              : { message: `a call with values for hidden fields ${ended(outcome)}`, input }
          })
        })
    }),
    (tried) => ({
      law,
      tools,
      runs: tried.runs,
      violations: [...hiding.flatMap(([, entry]) => leaksOf(entry, subject)), ...tried.violations]
    })
  )
}

/** Decoded parameters may hold what JSON has no word for. */
const textOf = (received: unknown): string =>
  JSON.stringify(received, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** The names as the tool compares them and, where the call context has them, as they are spelled. */
const spellings = (entry: Toolset.Entry, subject: Pick<Subject<never, never>, "context">): ReadonlyArray<string> => {
  const folded = [...(entry.hidden?.foldedKeys ?? [])]
  const spelled = Object.keys(entry.hidden?.given(subject.context) ?? {})
  return [...new Set([...folded, ...spelled, ...folded.map((name) => name.toUpperCase())])]
}

/** Visible arguments, perhaps one less, and a value for each spelling of each hidden field. */
const forgedArguments = (
  entry: Toolset.Entry,
  subject: Pick<Subject<never, never>, "context">,
  valid: unknown,
  removed: number | null
): unknown => {
  const fields = Json.isObject(valid) ? Object.entries(valid) : []
  const kept = removed === null ? fields : fields.filter((_, index) => index !== removed % fields.length)
  return Object.fromEntries([...kept, ...spellings(entry, subject).map((name) => [name, forged] as const)])
}

/** A name of plain letters may be an ordinary word of a description. */
const isDistinct = (name: string): boolean => /[^a-z]/.test(name)

const leaksOf = (entry: Toolset.Entry, subject: Pick<Subject<never, never>, "context">): ReadonlyArray<Violation> => {
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
  const spelled = Object.keys(entry.hidden?.given(subject.context) ?? {})
  const worded = spelled.flatMap((key) =>
    isDistinct(key) && text.includes(key) ? [`its description or input schema names ${key}`] : []
  )
  const valued = secretValues(entry, subject).flatMap((value) =>
    text.includes(value) ? ["its definition has the value of a hidden field in it"] : []
  )
  return [...named, ...worded, ...valued].map((message) => ({ law, tool: name, message, counterexample: undefined }))
}

/** Values long enough to be no coincidence. */
const secretValues = (entry: Toolset.Entry, subject: Pick<Subject<never, never>, "context">): ReadonlyArray<string> =>
  Object.values(entry.hidden?.given(subject.context) ?? {}).filter(
    (value): value is string => typeof value === "string" && value.length >= 4
  )

const secretIn = (
  text: string,
  entry: Toolset.Entry,
  subject: Pick<Subject<never, never>, "context">
): string | undefined => {
  if (text.includes(forged)) return "the value that it sent for a hidden field"
  if (secretValues(entry, subject).some((value) => text.includes(value))) return "the value of a hidden field"
  const name = Object.keys(entry.hidden?.given(subject.context) ?? {}).find(
    (key) => isDistinct(key) && text.includes(key)
  )
  return name === undefined ? undefined : `the name ${name} of a hidden field`
}
