/** What the conversations are about: the calls that the model makes, turn by turn. */

/** One call: a tool and the thing it is for, which no other call names. */
export interface Planned {
  readonly tool: Tool
  readonly item: string
}

export type Tool = "look" | "pay" | "refund" | "reserve" | "ship"

const turns: ReadonlyArray<ReadonlyArray<Tool>> = [
  ["look", "pay", "reserve"],
  ["pay", "ship", "look", "reserve"],
  ["refund", "pay", "look"],
  ["ship", "reserve", "look", "pay"],
  ["refund", "reserve", "look"],
  ["pay", "look", "reserve", "ship", "refund"]
]

/** The turns with calls; one more follows, of text. */
export const turnCount = turns.length

/** The calls of a turn, from 1; none in the last one. */
export const plannedCalls = (conversation: string, turn: number): ReadonlyArray<Planned> =>
  (turns[turn - 1] ?? []).map((tool) => ({ tool, item: `${conversation}/${turn}/${tool}` }))

export const promptOf = (conversation: string): string => `Work through ${conversation}.`

/** Names the entry of the prompt, the same in every process. */
export const promptIdOf = (conversation: string): string => `${conversation}/prompt`

/** The conversation that a prompt asks for. */
export const conversationOf = (prompt: string): string => /^Work through (.+)\.$/.exec(prompt)?.[1] ?? ""

export const finalText = (conversation: string): string => `All of ${conversation} is done.`

/** What a tool answers. */
export const answerOf = (tool: string, item: string): string => `${tool} of ${item} is done`
