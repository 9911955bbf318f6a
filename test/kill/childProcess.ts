/** One child process, from its start to its end. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { ChildConfig, Result, Told } from "./childConfig.js"

/** When a process is killed: at a point, which its config names, or after so many milliseconds. */
export type Moment =
  | { readonly _tag: "Never" }
  | { readonly _tag: "AtPoint" }
  | { readonly _tag: "AfterStart"; readonly milliseconds: number }
  | { readonly _tag: "AfterReady"; readonly milliseconds: number }

export interface Ended {
  /** False where it had ended before the moment came. */
  readonly isKilled: boolean
  /** What its runs came to, where it lived to tell. */
  readonly results: ReadonlyArray<Result> | undefined
  /** Milliseconds from its start to its being ready, and from there to its end. */
  readonly starting: number
  readonly running: number
}

/** Longer than any of them takes, on however busy a machine. */
const patience = 60_000

/** Dies when a process ends by itself in any way but a good one, or does not end. */
export const runChild = (file: string, config: ChildConfig, moment: Moment): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    const startedAt = Date.now()
    const child = spawn(process.execPath, [file, JSON.stringify(config)], { stdio: ["ignore", "pipe", "pipe"] })
    const kill = () => void child.kill("SIGKILL")
    const timers: Array<NodeJS.Timeout> = []
    const killAfter = (milliseconds: number) => timers.push(setTimeout(kill, milliseconds))
    if (moment._tag === "AfterStart") killAfter(moment.milliseconds)
    const late = setTimeout(() => {
      resume(Effect.dieMessage(`the child has not ended after ${patience} ms: ${JSON.stringify({ config, moment })}`))
      kill()
    }, patience)
    timers.push(late)

    let results: ReadonlyArray<Result> | undefined
    let readyAt = startedAt
    let complaint = ""
    child.stderr.on("data", (text) => (complaint += String(text)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      // A line of a log is not for this process, but says what went wrong.
      if (!line.startsWith("{")) return void (complaint += `${line}\n`)
      const told: Told = JSON.parse(line)
      if (told._tag === "Reached") return kill()
      if (told._tag === "Ended") return void (results = told.results)
      readyAt = Date.now()
      if (moment._tag === "AfterReady") killAfter(moment.milliseconds)
    })
    child.on("close", (code, signal) => {
      for (const timer of timers) clearTimeout(timer)
      const isKilled = signal === "SIGKILL"
      if (!isKilled && (code !== 0 || results === undefined)) {
        return resume(Effect.dieMessage(`the child ended with exit code ${code}: ${complaint}`))
      }
      resume(Effect.succeed({ isKilled, results, starting: readyAt - startedAt, running: Date.now() - readyAt }))
    })
    return Effect.sync(kill)
  })
