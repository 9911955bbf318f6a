import type { Difference } from "../Difference.js"

export const anthropic: ReadonlyArray<Difference> = []
