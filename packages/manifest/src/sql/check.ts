/**
 * What is wrong with the statement of an entry, as far as it can be known
 * without the database.
 */
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"
import { parse, type Statement } from "./Statement.js"
import { type Dialect, dialects } from "./tokenize.js"
import { isInternal } from "../load/parameters.js"

export const check = (entry: ApiEntry, dialect: Dialect): ReadonlyArray<Fault> => {
  const query = entry.api.query
  if (query === undefined) {
    return [fault("missing-query", "The entry has no SQL statement: give one as `query`", ["api"])]
  }
  const statement = parse(query, dialect)
  if (statement.kind === "empty" && statement.second === undefined) {
    return [fault("empty-query", "The query is empty: give one SQL statement")]
  }
  return [...ofText(statement), ...ofKind(statement, entry.api.isWriting), ...ofParameters(statement, entry)]
}

/** What is wrong in every dialect: for a linter that knows no configuration. */
export const checkAnyDialect = (entry: ApiEntry): ReadonlyArray<Fault> => {
  const [first = [], ...others] = dialects.map((dialect) => check(entry, dialect))
  return first.filter(({ offset, rule }) =>
    others.every((faults) => faults.some((other) => other.rule === rule && other.offset === offset))
  )
}

const fault = (
  rule: string,
  message: string,
  path: Fault["path"] = ["api", "query"],
  offset?: number,
  severity: Fault["severity"] = "error"
): Fault => ({ severity, rule, message, path, offset })

const inQuery = (rule: string, message: string, offset: number): Fault => fault(rule, message, undefined, offset)

const ofText = ({ dialect, obstacles, outsideCall, second, text }: Statement): ReadonlyArray<Fault> => [
  ...obstacles.map((token) => {
    const written = text.slice(token.start, Math.min(token.end, token.start + 20))
    switch (token.kind) {
      case "unterminated":
        return inQuery("unterminated", `What begins with ${written} has no end`, token.start)
      case "executable":
        return inQuery("executable-comment", `MySQL executes the comment ${written}: write it as SQL`, token.start)
      default:
        return inQuery(
          "positional-placeholder",
          `${written} is a placeholder of ${dialect} that gets no value: write a parameter as :name`,
          token.start
        )
    }
  }),
  ...(outsideCall === undefined
    ? []
    : [
        inQuery(
          "function-not-allowed",
          `A query cannot call ${text.slice(outsideCall.start, outsideCall.end)}: it reaches files, programs, other servers or the session, or runs a text as a statement. Select the data itself`,
          outsideCall.start
        )
      ]),
  ...(second === undefined
    ? []
    : [inQuery("several-statements", "A query is one statement: make a tool of each", second.start)])
]

const ofKind = ({ kind, start, text, verb }: Statement, isWriting: boolean): ReadonlyArray<Fault> => {
  const written = verb === undefined ? text.slice(start, start + 20) : text.slice(verb.start, verb.end)
  const offset = verb?.start ?? start
  if (kind === "forbidden") {
    return [
      inQuery(
        "statement-not-allowed",
        `A query cannot begin with ${written}: transactions, settings and sessions are not for a tool to change`,
        offset
      )
    ]
  }
  return kind === "write" && !isWriting
    ? [
        inQuery(
          "writes-read-only",
          `The statement writes (${written}), but the entry is read-only: give it \`write: true\`, or select only`,
          offset
        )
      ]
    : []
}

const ofParameters = ({ placeholders }: Statement, entry: ApiEntry): ReadonlyArray<Fault> => {
  // What these are called with is known: the message and all of the context.
  if (isInternal(entry)) return []
  const properties = propertiesOf(entry)
  const used = new Set(placeholders.map(({ name }) => name))
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const sent = placeholders.flatMap(({ end, isInList, name, start }) => {
    if (!Object.hasOwn(properties, name)) {
      const similar = Object.keys(properties).find((key) => key.toLowerCase() === name.toLowerCase())
      return [
        inQuery(
          "placeholder-without-parameter",
          `The query has :${name}, but there is no parameter of this name${similar === undefined ? "" : ` (there is ${similar})`}`,
          start
        )
      ]
    }
    return isInList && isArray(properties[name])
      ? [
          inQuery(
            "array-in-list",
            `:${name} is an array among other values: an array stands alone, as in IN (:${name})`,
            end - name.length - 1
          )
        ]
      : []
  })
  const unsent = Object.keys(properties)
    .filter((name) => !used.has(name))
    .map((name) =>
      fault(
        "parameter-without-placeholder",
        hidden.has(name.toLowerCase())
          ? `The hidden parameter ${name} is not in the query, so the query does not depend on it: use :${name}`
          : `The parameter ${name} is not in the query: use :${name}, or remove it`,
        ["function", "parameters", "properties", name],
        undefined,
        "warning"
      )
    )
  const { required } = entry.function.parameters
  const presets = Object.entries(properties).flatMap(([name, schema]) => {
    if (!used.has(name) || !isObject(schema) || schema["default"] === undefined) return []
    return Array.isArray(required) && required.includes(name)
      ? []
      : [
          fault(
            "default-not-sent",
            `Models read the default of ${name}, but it is never sent: without a value, :${name} is NULL. Write coalesce(:${name}, …) where the query needs it`,
            ["function", "parameters", "properties", name, "default"],
            undefined,
            "warning"
          )
        ]
  })
  return [...sent, ...unsent, ...presets]
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const propertiesOf = (entry: ApiEntry): { readonly [name: string]: unknown } => {
  const schema: unknown = entry.function.parameters
  return isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {}
}

const isArray = (schema: unknown): boolean =>
  isObject(schema) && (Array.isArray(schema["type"]) ? schema["type"].includes("array") : schema["type"] === "array")
