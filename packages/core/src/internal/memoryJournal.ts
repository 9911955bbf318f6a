/**
 * Calls that are kept in memory. No operation waits: a runner asks without an
 * effect, so that a call whose handler answers at once needs none either.
 */
import type { Ending, Key, Known, Service } from "../Journal.js"

interface Recorded {
  readonly key: Key
  known: Known
}

const fresh: Known = { _tag: "Fresh" }
const begun: Known = { _tag: "Begun" }
const interrupted: Known = { _tag: "Interrupted" }

export class MemoryJournal {
  /** By run and id; the digests of calls that share an id tell them apart, and only these are worked out. */
  readonly #runs = new Map<string, Map<string, Array<Recorded>>>()

  look(key: Key): Known {
    return find(this.#runs.get(key.run)?.get(key.call), key)?.known ?? fresh
  }

  begin(key: Key, _tool?: string, ending?: Ending): Known {
    const recorded = this.#recordOf(key)
    const { known } = recorded
    if (known === fresh) recorded.known = ending === undefined ? begun : { _tag: "Finished", ending }
    return known
  }

  finish(key: Key, ending: Ending): void {
    this.#recordOf(key).known = { _tag: "Finished", ending }
  }

  interrupt(key: Key): void {
    this.#recordOf(key).known = interrupted
  }

  abandon(key: Key): void {
    const calls = this.#runs.get(key.run)
    const others = calls?.get(key.call)?.filter((other) => !isSame(other, key) || other.known._tag === "Finished") ?? []
    if (others.length > 0) calls?.set(key.call, others)
    else calls?.delete(key.call)
  }

  forget(run: string): void {
    this.#runs.delete(run)
  }

  #recordOf(key: Key): Recorded {
    let calls = this.#runs.get(key.run)
    if (calls === undefined) this.#runs.set(key.run, (calls = new Map()))
    const ofId = calls.get(key.call)
    const recorded = find(ofId, key)
    if (recorded !== undefined) return recorded
    const made: Recorded = { key, known: fresh }
    if (ofId === undefined) calls.set(key.call, [made])
    else ofId.push(made)
    return made
  }
}

const find = (ofId: ReadonlyArray<Recorded> | undefined, key: Key): Recorded | undefined =>
  ofId?.find((other) => isSame(other, key))

/** Of the same run and id. */
const isSame = ({ key }: Recorded, other: Key): boolean => key === other || key.digest === other.digest

/**
 * What is behind a service in memory. A journal that was made by spreading one,
 * with some operations replaced, is another one, and is not found here.
 */
const behind = new WeakMap<Service, MemoryJournal>()

export const memoryJournalOf = (service: Service): MemoryJournal | undefined => behind.get(service)

export const setMemoryJournal = (service: Service, journal: MemoryJournal): void => void behind.set(service, journal)
