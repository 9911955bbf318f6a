import type { Difference } from "../Difference.js"

export const openAiChat: ReadonlyArray<Difference> = []
