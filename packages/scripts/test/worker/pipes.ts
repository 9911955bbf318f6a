/** Named pipes for the programs of all tests of this process: to make some is a process, too. */
import * as Effect from "effect/Effect"
import { Pipes } from "@wield/process"
import { temporaryFolder } from "./temporaryFolder.js"

/** Open already, so that no folder has to stay for them. */
const opened: Array<Pipes.Pipe> = []

const openMore = Effect.scoped(
  Effect.gen(function* () {
    const { take } = Pipes.make(yield* temporaryFolder)
    for (const pipe of yield* Effect.replicateEffect(take, 16)) if (pipe !== undefined) opened.push(pipe)
  })
)

export const pipes: Pipes.Pipes = {
  take: Effect.zipRight(
    Effect.when(openMore, () => opened.length === 0),
    Effect.sync(() => opened.pop())
  )
}
