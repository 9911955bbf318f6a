/** What stands for a format where a model of @effect/ai has none of its own. */

/** Names the format of turns whose native messages are parts of a prompt of @effect/ai. */
export const formatName = "effect-ai"
