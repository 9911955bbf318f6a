/** Lets vitest's worker read its messages. A run fails, though all its tests pass, if a worker reads none for a minute. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
