import type { Difference } from "../Difference.js"

export const openAiResponses: ReadonlyArray<Difference> = []
