// By their paths: the packages' own indexes load ten times as much.
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cli from "@wield/cli/Cli"
import * as EffectConsole from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Console } from "node:console"
import { syncBuiltinESMExports } from "node:module"
import { setFlagsFromString } from "node:v8"

export const main = () => {
  // The first Bash script that is read would have V8 optimize the grammar for seconds, and the process waits for that.
  if (process.versions.bun === undefined && process.versions.deno === undefined) {
    for (const flag of ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]) setFlagsFromString(flag)
  }
  // Standard output has results only: what a tool, its library or a logger prints is no result.
  const { stderr, stdout } = process
  let isLost = false
  stdout.on("error", (error) => {
    // Where the reader has read enough, as `head` does, nothing is lost.
    if (error.code !== "EPIPE" && !isLost) {
      isLost = true
      stderr.write(`Standard output cannot be written: ${error.message}\n`)
    }
    if (process.exitCode === undefined) process.emit("SIGINT")
    else if (isLost) process.exitCode ||= 1
  })
  // What is said beside the results may have no reader.
  stderr.on("error", () => undefined)
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const output = new Proxy(stdout, { get: (target, key) => (key === "write" ? write : Reflect.get(target, key)) })
  // What asks the process for it, for its descriptor (pino) or to end it, gets standard error.
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => stderr })
  syncBuiltinESMExports()
  const results = new Console(output, stderr)
  // In place: Effect's own loggers keep this object.
  Object.assign(globalThis.console, new Console(stderr, stderr))
  const command = EffectConsole.consoleWith((console) =>
    EffectConsole.withConsole(Cli.run(process.argv, { output }), {
      ...console,
      log: (...given) => Effect.sync(() => results.log(...given))
    })
  )
  // A shell reads 128 and the signal's number. A terminal that is closed ends what was started, too.
  let interrupted = 130
  const onTerminate = () => (interrupted = interrupted === 130 ? 143 : interrupted)
  const onHangUp = () => {
    interrupted = 129
    process.emit("SIGTERM")
  }
  process.once("SIGTERM", onTerminate)
  process.once("SIGHUP", onHangUp)
  NodeRuntime.runMain(Effect.provide(command, NodeContext.layer), {
    disableErrorReporting: true,
    // The command has a logger of its own: each line would be there twice.
    disablePrettyLogger: true,
    teardown: (exit, end) => {
      const code = Exit.isSuccess(exit) ? exit.value : Exit.isInterrupted(exit) ? 130 : 70
      // What the configuration has left running does not keep the process from being ended.
      process.off("SIGTERM", onTerminate)
      process.off("SIGHUP", onHangUp)
      process.exitCode = isLost ? 1 : code === 130 ? interrupted : code
      // Ends the process only where a signal was sent: what is written meanwhile is not cut off.
      end(code === 130 ? process.exitCode : isLost ? 1 : 0)
    }
  })
}
