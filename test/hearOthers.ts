/**
 * Lets a worker of the tests read what has come from the program that runs it. What waits for nothing else keeps it from
 * that, and a minute of it fails a run whose tests all pass.
 */
export const hearOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
