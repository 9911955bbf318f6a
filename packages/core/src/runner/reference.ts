/**
 * A reference by which a person finds an internal failure, of which the model
 * reads nothing else, in the program's log.
 */
export const reference = (): string => crypto.randomUUID().slice(0, 8)
