/**
 * The conversation that every loop is given: so many turns with so many calls
 * each, streamed in small pieces, and a turn of text at the end. Every model of
 * a peer gives these pieces, one event each.
 */
import { small, toolName } from "./orders.js"

export interface Shape {
  /** Turns with calls; one more follows, of text. */
  readonly turns: number
  /** Calls of a turn. */
  readonly calls: number
}

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** The arguments as they stream. */
  readonly pieces: ReadonlyArray<string>
}

export interface ScriptedTurn {
  readonly text: string
  readonly pieces: ReadonlyArray<string>
  readonly calls: ReadonlyArray<ScriptedCall>
}

export const prompt = "Which of our customers' orders can be sent today?"

/** About four tokens of a provider. */
const pieceCharacters = 16

const piecesOf = (text: string): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / pieceCharacters) }, (_, index) =>
    text.slice(index * pieceCharacters, (index + 1) * pieceCharacters)
  )

const answer = "All orders that were paid can be sent today, those with a note after somebody has read it."

/** The turns of a conversation. No two of its calls are the same: some loops stop at repetitions. */
export const scriptOf = ({ calls, turns }: Shape): ReadonlyArray<ScriptedTurn> => [
  ...Array.from({ length: turns }, (_, turn) => ({
    text: "",
    pieces: [],
    calls: Array.from({ length: calls }, (_, index): ScriptedCall => {
      const id = `call_${turn}_${index}`
      const text = JSON.stringify({ ...JSON.parse(small.arguments), customer: `Ada Lovelace ${turn}.${index}` })
      return { id, name: toolName, arguments: text, pieces: piecesOf(text) }
    })
  })),
  { text: answer, pieces: piecesOf(answer), calls: [] }
]

/** What a conversation comes to: the text of its end, and the result of each call. */
export const outcomeOf = (text: string, results: ReadonlyArray<string>): string => JSON.stringify({ text, results })

export const expectedOf = ({ calls, turns }: Shape): string =>
  outcomeOf(
    answer,
    Array.from({ length: turns * calls }, () => small.expected)
  )

/** Called before the last turn is given. */
export type Gate = () => Promise<void>

/** One conversation from its prompt to its end, as `outcomeOf` has it. */
export interface Loop {
  readonly name: string
  readonly converse: () => Promise<string>
}

export type MakeLoop = (shape: Shape, gate?: Gate) => Loop
