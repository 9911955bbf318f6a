import type { Difference } from "../Difference.js"

export const mistral: ReadonlyArray<Difference> = []
