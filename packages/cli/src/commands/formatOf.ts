/** The wire format that an option names. */
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import { Refused } from "../output/Refused.js"

export const formatOf = (name: string): Effect.Effect<WireFormat.WireFormat, Refused> => {
  const format = WireFormat.all.find((one) => one.name === name)
  if (format !== undefined) return Effect.succeed(format)
  const names = WireFormat.all.map((one) => one.name).join(", ")
  return Refused.usage(`There is no wire format ${JSON.stringify(name)}. There are: ${names}`)
}
