/**
 * Ends processes at once: those of a group, and those that carry a mark,
 * wherever they went.
 */
import * as Effect from "effect/Effect"
import { delay } from "./delay.js"
import { isLinux, listPids, readMark, readProcess, type RunningProcess } from "./processTable.js"

/** Whether there was anything to be killed. */
const kill = (pid: number): boolean => {
  try {
    return process.kill(pid, "SIGKILL")
  } catch {
    // It is gone already, which is what was wanted.
    return false
  }
}

/** Kills all processes of a group at once: no fork in it can get away. */
export const killGroup = (leader: number): boolean => kill(-leader)

/** Of a mark: which of the processes that carry it are left alone. Nothing where all are. */
export type Spared = (mark: string) => ((found: RunningProcess) => boolean) | undefined

/** Kills what carries a mark, but what is spared; gives how many there were. */
export const killMarked = (spared: Spared): number => {
  if (!isLinux) return 0
  let count = 0
  for (const pid of listPids()) {
    if (pid === process.pid) continue
    const mark = readMark(pid)
    const isSpared = mark === undefined ? undefined : spared(mark)
    if (isSpared === undefined) continue
    const found = readProcess(pid)
    if (found !== undefined && !isSpared(found) && kill(pid)) count++
  }
  return count
}

/** What a fork bomb starts while others of it are killed needs rounds, and more of them the faster it is. */
const rounds = 200

/** Kills until nothing that carries the mark is left. */
export const killAllMarked = (mark: string): Effect.Effect<void> => {
  const spared: Spared = (found) => (found === mark ? () => false : undefined)
  const round = (left: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      killMarked(spared) === 0 || left === 0
        ? Effect.void
        : Effect.zipRight(delay(left > rounds - 5 ? 1 : 10), round(left - 1))
    )
  return round(rounds)
}
