/**
 * The errors that an `AggregateError` joins, which `Cause.pretty` leaves out: `fetch` fails with one where a host has
 * several addresses, and says nothing itself.
 */

const most = 20

interface Waiting {
  readonly error: unknown
  readonly isJoined: boolean
}

/** A line for each, also for those of causes. */
export const joinedIn = (errors: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const seen = new Set<unknown>()
  const lines: Array<string> = []
  const left: Array<Waiting> = errors.map((error) => ({ error, isJoined: false }))
  for (let next = left.shift(); next !== undefined && lines.length < most; next = left.shift()) {
    const { error, isJoined } = next
    if (seen.has(error)) continue
    seen.add(error)
    if (isJoined) lines.push(`  - ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`)
    if (!(error instanceof Error)) continue
    if (error instanceof AggregateError) {
      left.push(...error.errors.slice(0, most).map((error: unknown) => ({ error, isJoined: true })))
    }
    if (error.cause !== undefined) left.push({ error: error.cause, isJoined: false })
  }
  return lines
}
