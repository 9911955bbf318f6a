import { signal } from "@preact/signals"

/** The time as words show it: what is a minute old is so a minute later, too. */
export const now = signal(Date.now())

setInterval(() => (now.value = Date.now()), 10_000)
