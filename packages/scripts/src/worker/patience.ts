/**
 * Ends a program that is not ready in time: a call may have stopped it, and its
 * next one would wait for ever.
 */

/** What no timer of Node can wait for ends at once. */
const longestTimer = 2 ** 31 - 1

export interface Patience {
  /** Begins to wait, unless it waits already. */
  readonly begin: (milliseconds: number) => void
  readonly end: () => void
  /** Never waits again. */
  readonly stop: () => void
}

export const makePatience = (exhausted: () => void): Patience => {
  let isWaiting = false
  let length = 0
  let timer: NodeJS.Timeout | undefined
  return {
    begin: (milliseconds) => {
      if (isWaiting || milliseconds > longestTimer) return
      isWaiting = true
      // Each call waits: to begin anew costs less than another timer.
      if (timer !== undefined && length === milliseconds) return void timer.refresh()
      clearTimeout(timer)
      length = milliseconds
      timer = setTimeout(() => isWaiting && exhausted(), milliseconds).unref()
    },
    end: () => {
      isWaiting = false
    },
    stop: () => {
      isWaiting = true
      clearTimeout(timer)
    }
  }
}
