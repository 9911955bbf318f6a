import type { Manifest } from "@wield/manifest"

/** What was checked of a part of the material. */
export interface Checked {
  readonly rows: ReadonlyArray<ReadonlyArray<string | number>>
  readonly notes: ReadonlyArray<string>
  readonly passed: number
  readonly failures: ReadonlyArray<string>
  /** What was read of it, by file. */
  readonly manifests?: ReadonlyMap<string, Manifest.Manifest>
}

/** Counts checks while they are made. */
export const tally = () => {
  const failures: Array<string> = []
  let passed = 0
  return {
    failures,
    passed: () => passed,
    check: (isMet: boolean, failure: () => string): void => {
      if (isMet) passed++
      else failures.push(failure())
    }
  }
}
