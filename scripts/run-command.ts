/** Runs one program to its end, with its output kept, its input closed and a limit on its time. */
import { spawn } from "node:child_process"

export interface CommandOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** A guard against what never ends, not a measure: 900 unless given. */
  readonly timeLimitSeconds?: number | undefined
}

export interface CommandResult {
  readonly succeeded: boolean
  /** "exit code 1", "signal SIGSEGV" or "stopped after 60 s": how the program ended, for a message. */
  readonly ending: string
  /** Standard output and standard error in the order in which they arrived. */
  readonly output: string
  readonly seconds: number
}

/** A process group outlives the one that started it, unless it is ended with it. */
const running = new Set<() => void>()
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const end of running) end()
    process.kill(process.pid, signal)
  })
}

export const runCommand = (
  command: string,
  commandArguments: ReadonlyArray<string>,
  options: CommandOptions
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const { timeLimitSeconds = 900 } = options
    // A process group of its own, so that the time limit also ends what the program has started.
    const child = spawn(command, commandArguments, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32"
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))

    const end = (): void => {
      if (child.pid === undefined || process.platform === "win32") child.kill("SIGKILL")
      else process.kill(-child.pid, "SIGKILL")
    }
    running.add(end)
    child.on("exit", () => running.delete(end))

    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      end()
    }, timeLimitSeconds * 1000)

    child.on("error", (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer)
      resolve({
        succeeded: exitCode === 0 && !isTimedOut,
        ending: isTimedOut
          ? `stopped after ${timeLimitSeconds} s`
          : signal === null
            ? `exit code ${exitCode}`
            : `signal ${signal}`,
        output,
        seconds: (performance.now() - startedAt) / 1000
      })
    })
  })

/** The last lines of a program's output, where the reason for its failure is. */
export const lastLines = (output: string, count = 30): string => {
  const lines = output.trimEnd().split("\n")
  return lines.length <= count ? lines.join("\n") : ["...", ...lines.slice(-count)].join("\n")
}
