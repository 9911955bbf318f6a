import type { Difference } from "../Difference.js"

export const gemini: ReadonlyArray<Difference> = []
