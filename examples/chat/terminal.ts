/** Who sits at the terminal: lines that are read, and Ctrl-C. */
import { createInterface } from "node:readline"
import { Effect } from "effect"

export interface Terminal {
  /** Shows a prompt and reads a line; `undefined` after the last one, or at Ctrl-C. */
  readonly ask: (prompt: string) => Effect.Effect<string | undefined>
  /** Waits for Ctrl-C while no question is open. */
  readonly cancelled: Effect.Effect<void>
}

/** A user whose lines are written down. */
export const scriptedTerminal = (lines: ReadonlyArray<string>): Terminal => {
  const left = [...lines]
  return {
    ask: (prompt) =>
      Effect.sync(() => {
        const line = left.shift()
        console.log(line === undefined ? "" : `${prompt}${line}`)
        return line
      }),
    cancelled: Effect.never
  }
}

/** Reads from standard input, a person's or a pipe. */
export const realTerminal = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin, output: process.stdout })),
    (input) => Effect.sync(() => input.close())
  ),
  (input): Terminal => {
    // Lines that come without a question are kept, which `question` would lose.
    const lines = input[Symbol.asyncIterator]()
    const leave = () => input.close()
    let isOpen = true
    input.once("close", () => (isOpen = false))
    return {
      ask: (prompt) =>
        Effect.promise(async () => {
          input.once("SIGINT", leave)
          input.setPrompt(prompt)
          // It would open the input again.
          if (isOpen) input.prompt()
          const { done, value } = await lines.next()
          input.off("SIGINT", leave)
          return done === true ? undefined : value
        }),
      cancelled: Effect.async<void>((resume) => {
        const onCancel = () => resume(Effect.void)
        input.once("SIGINT", onCancel)
        return Effect.sync(() => input.off("SIGINT", onCancel))
      })
    }
  }
)
