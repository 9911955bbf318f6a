/**
 * What an argument is to Bash: the texts that its variable holds.
 */
import { Json } from "@wield/core"
import type { BoundParameter } from "./Binding.js"

/**
 * Nothing where it is absent; none where it is given and its variable stays
 * unset, as that of a flag that is false. Of a map, keys and values by turns.
 */
export const valuesOf = (
  parameter: BoundParameter,
  value: Json.Json | undefined
): ReadonlyArray<string> | undefined => {
  // The environment, which only the script sees, comes before the default.
  if (value === undefined || value === null) return parameter.variable === undefined ? parameter.default : undefined
  switch (parameter.kind) {
    case "flag":
      return value === true ? ["1"] : []
    case "counter":
      return value === 0 ? [] : [textOf(value)]
    case "list":
      // Groups of values follow one another.
      return isList(value)
        ? value.flatMap((item) =>
            isList(item) && typeof parameter.joint === "number" ? item.map(textOf) : [textOf(item)]
          )
        : [textOf(value)]
    case "map":
      return isObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, textOf(item)]) : undefined
    case "single":
      return [textOf(value)]
  }
}

/** Models write `1e21`, and JavaScript `1e+21`. */
const textOf = (value: Json.Json): string => {
  if (typeof value === "string") return value
  return typeof value === "number" ? String(value).replace("e+", "e") : JSON.stringify(value)
}

// Array.isArray does not narrow what is read-only.
const isList = (value: Json.Json): value is ReadonlyArray<Json.Json> => Array.isArray(value)

const isObject = (value: Json.Json): value is Json.JsonObject => Json.isObject(value)
