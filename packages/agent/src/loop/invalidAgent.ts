/**
 * What is wrong with the limits of an agent.
 */
import { InvalidAgent } from "../AgentError.js"
import type { Stop } from "../Stop.js"

interface Limits {
  readonly stop?: Stop | undefined
  readonly mistakes?: { readonly perTool?: number | undefined; readonly total?: number | undefined } | undefined
  readonly retries?: number | undefined
}

export const invalidAgent = ({ mistakes, retries, stop }: Limits): InvalidAgent | undefined =>
  count(["mistakes", "perTool"], mistakes?.perTool) ??
  count(["mistakes", "total"], mistakes?.total) ??
  count(["retries"], retries) ??
  (stop?.invalid === undefined
    ? undefined
    : new InvalidAgent({ path: ["stop"], expected: stop.invalid, received: stop.name }))

const count = (path: ReadonlyArray<string>, value: number | undefined): InvalidAgent | undefined =>
  value === undefined || (Number.isInteger(value) && value >= 0)
    ? undefined
    : new InvalidAgent({ path, expected: "a whole number of at least 0", received: String(value) })
