import type { Difference } from "../Difference.js"

export const bedrockConverse: ReadonlyArray<Difference> = []
