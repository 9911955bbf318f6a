/**
 * A journal in memory that keeps what it was told, in order.
 */
import { Journal } from "@wield/core"
import { Effect } from "effect"

export interface RecordedJournal {
  readonly service: Journal.Service
  /** Such as `begin call_1`, `finish call_1 Success`. */
  readonly lines: ReadonlyArray<string>
}

export const recordedJournal = (): RecordedJournal => {
  const lines: Array<string> = []
  const memory = Journal.unsafeMemory()
  const told = (line: string) => Effect.sync(() => void lines.push(line))
  return {
    lines,
    service: {
      // A look leaves no trace, so it is not told.
      look: memory.look,
      begin: (key, tool, ending) => Effect.zipRight(told(`begin ${key.call}`), memory.begin(key, tool, ending)),
      finish: (key, ending) => Effect.zipRight(told(`finish ${key.call} ${ending._tag}`), memory.finish(key, ending)),
      interrupt: (key) => Effect.zipRight(told(`interrupt ${key.call}`), memory.interrupt(key)),
      abandon: (key) => Effect.zipRight(told(`abandon ${key.call}`), memory.abandon(key)),
      forget: (run) => Effect.zipRight(told(`forget ${run}`), memory.forget(run))
    }
  }
}
