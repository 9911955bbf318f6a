/** What the heap holds. */
import { setImmediate } from "node:timers/promises"

/** Bytes in use, once nothing is left that can be collected. */
export const heap = async (): Promise<number> => {
  const collect = globalThis.gc
  if (collect === undefined) throw new Error("node has to run with --expose-gc")
  for (let time = 0; time < 5; time++) {
    collect()
    await setImmediate()
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

export const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(2)
