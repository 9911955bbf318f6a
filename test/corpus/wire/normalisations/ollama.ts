import type { Difference } from "../Difference.js"

export const ollama: ReadonlyArray<Difference> = []
