/** What is wrong with the statement of an entry, as far as it can be known without the database. */
import * as Json from "@wield/core/Json"
import { isInternal, propertiesOf } from "../load/parameters.js"
import type { ApiEntry } from "../ManifestEntry.js"
import * as ManifestProblem from "../ManifestProblem.js"
import type { Fault } from "../ManifestProblem.js"
import { parse, type Statement } from "./Statement.js"
import { type Dialect, dialects, type Token } from "./tokenize.js"

export const check = (entry: ApiEntry, dialect: Dialect): ReadonlyArray<Fault> => {
  const { isWriting, query } = entry.api
  if (query === undefined) {
    return [ManifestProblem.error("missing-query", "The entry has no SQL statement: give one as `query`", ["api"])]
  }
  const statement = parse(query, dialect)
  if (statement.kind === "empty" && statement.second === undefined) {
    return [error("empty-query", "The query is empty: give one SQL statement")]
  }
  return [...textFaults(statement), ...kindFaults(statement, isWriting), ...parameterFaults(statement, entry)]
}

/** What is wrong in every dialect: for a linter that knows no configuration. */
export const checkAnyDialect = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const [first = [], ...others] = dialects.map((dialect) => check(entry, dialect))
  return first.filter(({ offset, rule }) =>
    others.every((faults) => faults.some((other) => other.rule === rule && other.offset === offset))
  )
}

const error = (rule: string, message: string, offset?: number): Fault =>
  ManifestProblem.error(rule, message, ["api", "query"], offset)

const textFaults = ({ dialect, obstacles, outsideCall, second, text }: Statement): ReadonlyArray<Fault> => {
  const faults = obstacles.map((token) => obstacleFault(token, text, dialect))
  if (outsideCall !== undefined) {
    const called = text.slice(outsideCall.start, outsideCall.end)
    const message = `A query cannot call ${called}: it reaches files, programs, other servers or the session, or runs a text as a statement. Select the data itself`
    faults.push(error("function-not-allowed", message, outsideCall.start))
  }
  if (second !== undefined) {
    faults.push(error("several-statements", "A query is one statement: make a tool of each", second.start))
  }
  return faults
}

const obstacleFault = ({ end, kind, start }: Token, text: string, dialect: Dialect): Fault => {
  const written = text.slice(start, Math.min(end, start + 20))
  if (kind === "unterminated") return error("unterminated", `What begins with ${written} has no end`, start)
  if (kind === "executable") {
    return error("executable-comment", `MySQL executes the comment ${written}: write it as SQL`, start)
  }
  const message = `${written} is a placeholder of ${dialect} that gets no value: write a parameter as :name`
  return error("positional-placeholder", message, start)
}

const kindFaults = ({ kind, start, text, verb }: Statement, isWriting: boolean): ReadonlyArray<Fault> => {
  const written = verb === undefined ? text.slice(start, start + 20) : text.slice(verb.start, verb.end)
  const offset = verb?.start ?? start
  if (kind === "forbidden") {
    const message = `A query cannot begin with ${written}: transactions, settings and sessions are not for a tool to change`
    return [error("statement-not-allowed", message, offset)]
  }
  if (kind !== "write" || isWriting) return []
  const message = `The statement writes (${written}), but the entry is read-only: give it \`write: true\`, or select only`
  return [error("writes-read-only", message, offset)]
}

const parameterFaults = ({ placeholders }: Statement, entry: ApiEntry): ReadonlyArray<Fault> => {
  // What these are called with is known: the message and all of the context.
  if (isInternal(entry)) return []
  const { required } = entry.function.parameters
  const properties = propertiesOf(entry.function.parameters)
  const faults: Array<Fault> = []
  for (const { end, isInList, name, start } of placeholders) {
    if (!Object.hasOwn(properties, name)) {
      const similar = Object.keys(properties).find((key) => key.toLowerCase() === name.toLowerCase())
      const advice = similar === undefined ? "" : ` (there is ${similar})`
      const message = `The query has :${name}, but there is no parameter of this name${advice}`
      faults.push(error("placeholder-without-parameter", message, start))
    } else if (isInList && isArray(properties[name])) {
      const message = `:${name} is an array among other values: an array stands alone, as in IN (:${name})`
      faults.push(error("array-in-list", message, end - name.length - 1))
    }
  }
  const used = new Set(placeholders.map(({ name }) => name))
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const path = ["function", "parameters", "properties"]
  for (const name of Object.keys(properties).filter((name) => !used.has(name))) {
    const message = hidden.has(name.toLowerCase())
      ? `The hidden parameter ${name} is not in the query, so the query does not depend on it: use :${name}`
      : `The parameter ${name} is not in the query: use :${name}, or remove it`
    faults.push({ severity: "warning", rule: "parameter-without-placeholder", message, path: [...path, name] })
  }
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = Array.isArray(required) && required.includes(name)
    if (!used.has(name) || isRequired || !Json.isObject(schema) || schema["default"] === undefined) continue
    const message = `Models read the default of ${name}, but it is never sent: without a value, :${name} is NULL. Write coalesce(:${name}, …) where the query needs it`
    faults.push({ severity: "warning", rule: "default-not-sent", message, path: [...path, name, "default"] })
  }
  return faults
}

const isArray = (schema: unknown): boolean => Json.isObject(schema) && [schema["type"]].flat().includes("array")
