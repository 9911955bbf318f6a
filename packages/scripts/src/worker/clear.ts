/**
 * Ends what a call has started in a program that goes on.
 */
import { ProcessTable } from "@wield/process"
import type { Mode } from "../program/Program.js"

export interface ServingProgram {
  readonly pid: number
  readonly mark: string
}

/** Whether a program needs a process of its mark: the others belong to calls. */
export const isOwn =
  ({ pid }: ServingProgram, mode: Mode) =>
  (found: ProcessTable.RunningProcess): boolean =>
    found.pid === pid || (mode === "fork" && (found.parent === pid || found.group === pid))

/**
 * Whether the program has forked what leads a group. Scripts can say `ready`,
 * too, with the number of any process: that is not Wield's to kill.
 */
const isForked = (program: ServingProgram, leader: number): boolean => {
  const found = ProcessTable.findProcess(leader)
  return found !== undefined && found.parent === program.pid && found.group === leader
}

/** Kills a call's process group in a program that forks, and what has left it; tells when all of it is gone. */
export const clearCall = (program: ServingProgram, group: number, gone: () => void): void => {
  if (isForked(program, group)) ProcessTable.killGroup(group)
  const isNeeded = isOwn(program, "fork")
  ProcessTable.killUntilGone(
    (mark) => (mark === program.mark ? (found) => isNeeded(found) && found.group !== group : undefined),
    gone
  )
}
