/**
 * The quick start. Four APIs' responses are read from files, their calls are run
 * by one runner, and what came of each is shown. It needs no key and no network.
 */
import { Console, Effect } from "effect"
import { readBodies } from "./bodies.js"
import { exchange } from "./exchange.js"
import { makeProgramLog } from "./programLog.js"
import { makeShopRunner } from "./shop/runner.js"
import { report } from "./terminal/report.js"

const log = makeProgramLog()

const program = Effect.gen(function* () {
  const runner = yield* makeShopRunner
  const exchanges = yield* Effect.forEach(readBodies(), (body) => exchange(runner, body))
  yield* Console.log(report(exchanges, log.lines))
}).pipe(Effect.scoped, Effect.provide(log.layer))

await Effect.runPromise(program)
