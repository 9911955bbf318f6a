/**
 * How much of it a test does. `pnpm test` does enough to fail when something breaks; `pnpm test:soak` runs the same
 * tests with more kills, longer walks, larger inputs and all material.
 */
export const isSoak = process.env["WIELD_SOAK"] === "1"

export const sized = <A>(quick: A, soak: A): A => (isSoak ? soak : quick)

/** How many random values a property is tried with: a sixteenth of it before a push. */
export const runs = (soak: number): number => sized(Math.max(10, Math.ceil(soak / 16)), soak)
