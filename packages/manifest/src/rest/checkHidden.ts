/**
 * Hidden parameters whose place in the request a visible one has, too: the API
 * would get the value that the model chose beside the application's, or instead.
 */
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"
import type { Auth } from "./auth.js"
import { planOf } from "./plan.js"
import { placeholdersOf, type Template } from "./template.js"
import { wireName } from "./wireName.js"

interface Sent {
  readonly where: string
  /** As the API knows it. */
  readonly name: string
  readonly parameter: string
}

export const checkHidden = (entry: ApiEntry): ReadonlyArray<Fault> => {
  if (entry.context.length === 0) return []
  const hidden = new Set(entry.context.map((name) => name.toLowerCase()))
  const isHidden = ({ parameter }: Sent): boolean => hidden.has(parameter.toLowerCase())
  const sent = sentBy(entry)
  const keyOf = ({ name, where }: Sent): string => `${where} ${wireName(name)}`
  const own = new Map(sent.filter(isHidden).map((one) => [keyOf(one), one]))
  return sent.flatMap((one): ReadonlyArray<Fault> => {
    const other = own.get(keyOf(one))
    if (other === undefined || isHidden(one)) return []
    const { name, parameter, where } = one
    return [
      {
        severity: "error",
        rule: "hidden-name-taken",
        message: `${parameter}, which the model gives, is sent in the ${where} as ${name}, which is the name of the hidden ${other.parameter}: give it another name, or take it out`,
        path: Object.hasOwn(entry.api.parameters, parameter)
          ? ["api", "parameters", parameter]
          : ["function", "parameters", "properties", parameter]
      }
    ]
  })
}

/**
 * Parameters in the place of the API's credential, which would be sent twice. A
 * header is sent once, by the credential.
 */
export const checkCredential = (entry: ApiEntry, auth: Auth | undefined): ReadonlyArray<Fault> =>
  auth?.type !== "apiKey" || auth.in === "header"
    ? []
    : sentBy(entry)
        .filter(({ name, where }) => where === auth.in && wireName(name) === wireName(auth.name))
        .map(({ name, parameter, where }) => ({
          severity: "error",
          rule: "credential-name-taken",
          message: `${parameter} is sent in the ${where} as ${name}, which is the name of the API's credential: take it out`,
          path: ["function", "parameters", "properties", parameter]
        }))

const sentBy = (entry: ApiEntry): ReadonlyArray<Sent> => {
  const plan = planOf(entry)
  const inTemplate = (where: string, name: string, value: Template): ReadonlyArray<Sent> =>
    placeholdersOf(value).map((placeholder) => ({
      where,
      name,
      parameter: plan.parameterOf(placeholder.name).parameter
    }))
  return [
    ...plan.path.pairs.flatMap(({ name, value }) => inTemplate("query", name, value)),
    ...plan.headers.flatMap(({ name, value }) => inTemplate("header", name, value)),
    ...Object.entries(plan.placed).flatMap(([where, all]) =>
      all.map(({ name, parameter }) => ({ where, name, parameter }))
    )
  ]
}
