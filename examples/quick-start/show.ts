/** Runs the calls of all bodies through one runner and prints the report. */
import { Console, Effect } from "effect"
import { readBodies } from "./bodies.js"
import { exchange } from "./exchange.js"
import { makeProgramLog } from "./programLog.js"
import { makeShopRunner } from "./shop/runner.js"
import { report } from "./terminal/report.js"

export const show = Effect.suspend(() => {
  const log = makeProgramLog()
  return Effect.gen(function* () {
    const runner = yield* makeShopRunner
    const exchanges = yield* Effect.forEach(readBodies(), (body) => exchange(runner, body))
    yield* Console.log(report(exchanges, log.lines))
  }).pipe(Effect.scoped, Effect.provide(log.layer))
})
