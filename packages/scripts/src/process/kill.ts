/**
 * Ends processes at once: those of a group, and those that carry a mark,
 * wherever they went.
 */
import * as Effect from "effect/Effect"
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
const rounds = 400

/** Milliseconds between rounds: what was killed takes a turn of the scheduler to be gone. */
const pause = 5

/** Kills until nothing is left that carries a mark and is not spared, and tells so; what hangs in the kernel is left. */
export const killUntilGone = (spared: Spared, gone: () => void, left = rounds): void => {
  if (killMarked(spared) === 0 || left === 0) gone()
  else setTimeout(() => killUntilGone(spared, gone, left - 1), pause)
}

/** Kills until nothing that carries the mark is left. */
export const killAllMarked = (mark: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    killUntilGone(
      (found) => (found === mark ? () => false : undefined),
      () => resume(Effect.void)
    )
  })
