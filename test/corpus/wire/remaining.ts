/** Where two bodies still differ once what may differ is taken away from both. */
import type { Json } from "@wield/core"
import type { Difference } from "./Difference.js"
import { firstDifference } from "./firstDifference.js"

/** Empty where nothing differs; `need` is told of each difference that it took. */
export const remaining = (
  expected: Json.JsonObject,
  found: Json.JsonObject,
  allowed: ReadonlyArray<Difference>,
  need: (difference: string) => void
): string => {
  if (firstDifference(expected, found) === "") return ""
  const left = firstDifference(applied(expected, allowed), applied(found, allowed))
  if (left !== "") return left
  for (const difference of allowed) {
    const others = allowed.filter((other) => other !== difference)
    if (firstDifference(applied(expected, others), applied(found, others)) !== "") need(difference.name)
  }
  return ""
}

export const applied = (body: Json.JsonObject, differences: ReadonlyArray<Difference>): Json.JsonObject =>
  differences.reduce((current, { apply }) => apply(current), body)
