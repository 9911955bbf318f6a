/** The oracle: calls that another, real client read from the same response. */
import type { Turn } from "@wield/core"
import { isDeepStrictEqual } from "node:util"
import type { Expected, ExpectedCall } from "../exchanges.js"
import type { Ledger } from "./Ledger.js"
import { isOdd } from "./oddities.js"

/** A decoder may find more calls than a client sends back, never fewer. */
export const checkCalls = (file: string, turn: Turn.Turn, oracle: Expected | undefined, ledger: Ledger): void => {
  if (oracle === undefined) return
  const calls = turn.parts.filter((part) => part._tag === "Call")
  for (const wanted of oracle.calls) {
    ledger.counts.expected++
    const isFound = take(calls, wanted, oracle)
    if (ledger.check(isFound, () => `${file}: ${missing(wanted, turn)}`)) ledger.counts.found++
  }
}

/** Takes the expected call out of the decoded ones, so that two equal calls have to be found twice. */
const take = (calls: Array<Turn.CallPart>, wanted: ExpectedCall, oracle: Expected): boolean => {
  const index = calls.findIndex(
    ({ call }) =>
      call.name === wanted.name &&
      isDeepStrictEqual(parsed(call.arguments), parsed(wanted.arguments)) &&
      (!oracle.isIdEchoed || isOdd(oracle.file, "ids") || call.id === wanted.id)
  )
  if (index === -1) return false
  calls.splice(index, 1)
  return true
}

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const missing = (wanted: ExpectedCall, turn: Turn.Turn): string => {
  const found = turn.parts.filter((candidate) => candidate._tag === "Call").map((candidate) => candidate.call)
  return `expected the call\n  ${JSON.stringify(wanted)}\namong\n  ${found.map((call) => JSON.stringify(call)).join("\n  ")}`
}
