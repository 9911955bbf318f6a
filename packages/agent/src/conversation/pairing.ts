/**
 * Which result answers which call of a turn.
 */
import type { ToolCall, ToolResult } from "@wield/core"

/** The results in the order of the calls, `undefined` where there is none yet; and those that answer no call. */
export interface Pairing {
  readonly answers: ReadonlyArray<ToolResult.ToolResult | undefined>
  readonly others: ReadonlyArray<ToolResult.ToolResult>
}

/**
 * Pairs by place where it is known, and by id; among calls of the same id by
 * name and order: some servers use an id again within one turn.
 */
export const pairing = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  results: ReadonlyArray<ToolResult.ToolResult>,
  places: ReadonlyMap<ToolResult.ToolResult, number> = new Map()
): Pairing => {
  const answers: Array<ToolResult.ToolResult | undefined> = calls.map(() => undefined)
  const open = results.filter((result) => {
    const place = places.get(result)
    if (place === undefined || calls[place]?.id !== result.id || answers[place] !== undefined) return true
    answers[place] = result
    return false
  })
  const take = (fits: (call: ToolCall.ToolCall, result: ToolResult.ToolResult) => boolean): void => {
    calls.forEach((call, index) => {
      if (answers[index] !== undefined) return
      const found = open.findIndex((result) => fits(call, result))
      if (found >= 0) answers[index] = open.splice(found, 1)[0]
    })
  }
  take((call, result) => call.id === result.id && call.name === result.name)
  take((call, result) => call.id === result.id)
  return { answers, others: open }
}
