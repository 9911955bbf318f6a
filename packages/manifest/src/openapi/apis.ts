/** One executor for each address and way to authenticate that operations have. */
import type { ApiConfiguration } from "../OpenApi.js"
import type { Importing } from "./Importing.js"
import { names } from "./names.js"
import type { Found } from "./operations.js"
import { escaped, securityOf } from "./security.js"
import { urlOf } from "./servers.js"

export interface Apis {
  /** The name of the executor that runs the operation; undefined where it has no address. */
  readonly nameOf: (found: Found) => string | undefined
  readonly all: () => { readonly [name: string]: ApiConfiguration }
}

interface Made {
  readonly name: string
  readonly configuration: ApiConfiguration
  readonly scopes: Set<string>
}

export const apis = (importing: Importing): Apis => {
  const made = new Map<string, Made>()
  const taken = names()
  const base = importing.options.name ?? "default"
  return {
    nameOf: (found) => {
      const url = urlOf(found, importing)
      if (url === undefined) return undefined
      const { auth, headers, label, scopes } = securityOf(found, importing)
      const key = JSON.stringify([url, auth, headers])
      const known = made.get(key)
      for (const scope of scopes) known?.scopes.add(scope)
      if (known !== undefined) return known.name
      // Executors are found by their names in any case.
      const suffix = label.replace(/[^a-zA-Z0-9]+/g, "_").toLowerCase()
      const name = taken.take(made.size === 0 ? base : `${base}_${suffix}`)
      const configuration: ApiConfiguration = {
        type: "rest",
        url: escaped(url),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(auth === undefined ? {} : { auth })
      }
      made.set(key, { name, configuration, scopes: new Set(scopes) })
      return name
    },
    all: () =>
      Object.fromEntries(
        [...made.values()].map(({ configuration, name, scopes }) => [name, scoped(configuration, [...scopes].sort())])
      )
  }
}

const scoped = (configuration: ApiConfiguration, scopes: ReadonlyArray<string>): ApiConfiguration =>
  configuration.auth?.type === "oauth2" && scopes.length > 0
    ? { ...configuration, auth: { ...configuration.auth, scope: escaped(scopes.join(" ")) } }
    : configuration
