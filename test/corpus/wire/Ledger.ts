/** What the checks of one format add up to. */

export interface Counts {
  responses: number
  streams: number
  cuts: number
  breaks: number
  requests: number
  errors: number
  expected: number
  found: number
  failed: number
}

export interface Ledger {
  readonly counts: Counts
  /** Notes the outcome of one check, and gives it back. */
  readonly check: (isMet: boolean, failure: () => string) => boolean
  /** Notes that a body needed an allowed difference. */
  readonly need: (difference: string) => void
}

export interface Books {
  readonly ledger: (wire: string) => Ledger
  readonly rows: () => ReadonlyArray<readonly [string, Counts]>
  readonly needed: ReadonlyMap<string, number>
  readonly failures: ReadonlyArray<string>
  readonly passed: () => number
}

export const makeBooks = (): Books => {
  const ledgers = new Map<string, Ledger>()
  const needed = new Map<string, number>()
  const failures: Array<string> = []
  let passed = 0
  const open = (wire: string): Ledger => {
    const counts: Counts = {
      responses: 0,
      streams: 0,
      cuts: 0,
      breaks: 0,
      requests: 0,
      errors: 0,
      expected: 0,
      found: 0,
      failed: 0
    }
    const ledger: Ledger = {
      counts,
      check: (isMet, failure) => {
        if (isMet) passed++
        else {
          counts.failed++
          failures.push(failure())
        }
        return isMet
      },
      need: (difference) => {
        const key = `${wire}: ${difference}`
        needed.set(key, (needed.get(key) ?? 0) + 1)
      }
    }
    ledgers.set(wire, ledger)
    return ledger
  }
  return {
    ledger: (wire) => ledgers.get(wire) ?? open(wire),
    rows: () => Array.from(ledgers, ([wire, { counts }]) => [wire, counts] as const),
    needed,
    failures,
    passed: () => passed
  }
}
