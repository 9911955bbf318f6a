import type { Difference } from "../Difference.js"

export const cohereV2: ReadonlyArray<Difference> = []
