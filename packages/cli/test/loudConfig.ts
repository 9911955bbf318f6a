/** The configuration of a project whose tool prints in every way that there is. */
import { Toolset } from "@wield/core"
import { Console, Effect, Layer, Logger } from "effect"
import { spawnSync } from "node:child_process"
import { writeSync } from "node:fs"
import { stdout } from "node:process"
console.log("LOUD at the top")
process.stdout.write("LOUD write at the top\n")
const execute = () =>
  Effect.gen(function* () {
    console.log("LOUD console.log")
    console.info("LOUD console.info")
    console.table(["LOUD console.table"])
    process.stdout.write("LOUD write\n")
    stdout.write("LOUD import\n")
    writeSync(process.stdout.fd, "LOUD descriptor\n")
    spawnSync(process.execPath, ["-e", "console.log('LOUD child')"], { stdio: ["ignore", process.stdout, "inherit"] })
    yield* Console.log("LOUD Console.log")
    yield* Effect.log("LOUD of the fiber")
    yield* Effect.promise(() => Effect.runPromise(Effect.log("LOUD of the process")))
    yield* Effect.promise(() => Effect.runPromise(Effect.log("LOUD pretty").pipe(Effect.provide(Logger.pretty))))
    return "done"
  })
export default {
  tools: [Toolset.dynamic([{ name: "loud", description: "Is loud", execute }])],
  layer: Layer.effectDiscard(Console.log("LOUD layer")),
  model: { format: "openai-chat", id: "test", url: process.env.MODEL_URL }
}
