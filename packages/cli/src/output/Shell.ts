/** What surrounds the command: folder, environment, terminal, standard input. Tests give their own. */
import { createInterface } from "node:readline"
import type { Writable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Refused } from "./Refused.js"

export interface Settings {
  readonly folder: string
  readonly environment: { readonly [name: string]: string | undefined }
  /** Whether a person can be asked: input and standard error are a terminal. */
  readonly isInteractive: boolean
  /** Whether results go to a terminal that shows colours. */
  readonly isColored: boolean
  /** Where pieces of an answer and MCP's messages go: standard output, also where the process keeps others from it. */
  readonly output: Writable
  readonly readInput: Effect.Effect<string, Refused>
  /** Asks on the terminal, beside the results. What was typed before the question was shown is no answer to it. */
  readonly ask: (question: string) => Effect.Effect<string, Refused>
  /** The next line of a conversation, which may have been typed, or pasted with others, before. */
  readonly readLine: (prompt: string) => Effect.Effect<string, Refused>
}

const maxBytes = 16 * 1024 * 1024

/** Whether this shows colours: a terminal, unless its user wants none. */
export const showsColours = (output: Writable & { readonly isTTY?: boolean }): boolean =>
  output.isTTY === true && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"

/** Milliseconds in which all is read that a terminal holds already. */
const untilRead = 20

/** Reads away what was typed; `true` where Ctrl-C was among it. */
const dropTyped = Effect.async<boolean>((resume) => {
  const { stdin } = process
  let isInterrupted = false
  const onData = (keys: Buffer) => {
    isInterrupted ||= keys.includes(3)
  }
  const leave = () => {
    clearTimeout(timer)
    stdin.off("data", onData).pause().setRawMode(false)
  }
  const timer = setTimeout(() => {
    leave()
    resume(Effect.succeed(isInterrupted))
  }, untilRead)
  // Raw, so that a line without its end is read as well.
  stdin.setRawMode(true).on("data", onData).resume()
  return Effect.sync(leave)
})

const readAnswer = (question: string, onFurther: (line: string) => void): Effect.Effect<string, Refused> =>
  Effect.async((resume) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    terminal.on("SIGINT", () => resume(Effect.interrupt))
    terminal.on("close", () => resume(Effect.fail(Refused.usage("No answer was given"))))
    terminal.question(question, (answer) => {
      resume(Effect.succeed(answer))
      // What was pasted at once comes as one.
      terminal.on("line", onFurther)
      setImmediate(() => terminal.close())
    })
    return Effect.sync(() => terminal.close())
  })

/** Lines that were pasted behind one that was read. */
const pasted: Array<string> = []

const ofProcess = (): Settings => ({
  folder: process.cwd(),
  environment: process.env,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  isColored: showsColours(process.stdout),
  output: process.stdout,
  readInput: NodeStream.toString(() => process.stdin, {
    maxBytes,
    onFailure: () => Refused.usage("Standard input cannot be read, or has more than 16 MiB")
  }),
  ask: (question) =>
    Effect.flatMap(dropTyped, (isInterrupted) =>
      isInterrupted ? Effect.interrupt : readAnswer(question, () => undefined)
    ),
  readLine: (prompt) =>
    Effect.suspend(() => {
      const line = pasted.shift()
      if (line === undefined) return readAnswer(prompt, (further) => pasted.push(further))
      process.stderr.write(`${prompt}${line}\n`)
      return Effect.succeed(line)
    })
})

/**
 * Prints results. The console around a command prints on standard error: what a
 * handler, a layer or the configuration prints is no result.
 */
export class Results extends Context.Reference<Results>()("@wield/cli/Results", {
  defaultValue: (): Console.Console | undefined => undefined
}) {}

export class Shell extends Context.Reference<Shell>()("@wield/cli/Shell", { defaultValue: ofProcess }) {}
