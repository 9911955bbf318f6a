/**
 * The parameters of one operation as they come together: from the path, the
 * query, headers, cookies and the body. A name that is taken gets its place in
 * front.
 */
import type { ParameterPlace } from "../ManifestEntry.js"
import { names, parameterNameOf } from "./names.js"
import type { Converted } from "./schemas.js"

export interface Parameters {
  /** Adds one; gives the name that it has in the tool. */
  readonly add: (parameter: {
    readonly name: string
    readonly place: ParameterPlace
    readonly isRequired: boolean
    readonly schema: Converted
  }) => string
  readonly properties: ReadonlyMap<string, unknown>
  readonly places: ReadonlyMap<string, ParameterPlace>
  readonly required: ReadonlyArray<string>
  readonly references: ReadonlySet<string>
}

export const parameters = (): Parameters => {
  const properties = new Map<string, unknown>()
  const places = new Map<string, ParameterPlace>()
  const required: Array<string> = []
  const references = new Set<string>()
  const taken = names()
  return {
    properties,
    places,
    required,
    references,
    add: ({ isRequired, name, place, schema }) => {
      const plain = parameterNameOf(name).slice(0, 64)
      const unused = taken.take(properties.has(plain) ? `${place.in}_${plain}` : plain)
      properties.set(unused, schema.schema)
      places.set(unused, unused === name ? place : { ...place, name })
      if (isRequired) required.push(unused)
      for (const reference of schema.references) references.add(reference)
      return unused
    }
  }
}
