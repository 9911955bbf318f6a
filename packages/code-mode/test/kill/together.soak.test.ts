/** Two processes that go on with one program at the same moment. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { bundleOf } from "../../../../test/programs.js"
import { effectsIn, fileJournal, runChild, startChild, temporaryFolder } from "./children.js"
import { type ChildConfig, effects, expected } from "./program.js"

/** What both found, and what took effect. */
const goOnTwice = (file: string, config: Omit<ChildConfig, "stop">) =>
  Effect.gen(function* () {
    yield* runChild(file, { ...config, stop: 0, isAsking: true })
    expect([...effectsIn(config.effects)].sort()).toEqual([1, 3, 5])
    const children = yield* Effect.all(
      [1, 2].map(() => startChild(file, { ...config, stop: 0, isWaiting: true })),
      { concurrency: 2 }
    )
    yield* Effect.all(
      children.map(({ ready }) => ready),
      { concurrency: 2 }
    )
    yield* Effect.all(children.map(({ go }) => go))
    const ended = yield* Effect.all(
      children.map((child) => child.ended),
      { concurrency: 2 }
    )
    return { results: ended.map((one) => one?.result), happened: [...effectsIn(config.effects)].sort((a, b) => a - b) }
  })

const postgres = Effect.map(Effect.provide(Postgres.Postgres, Layer.fresh(Postgres.layer)), ({ url }) => ({
  _tag: "Postgres" as const,
  url
}))

it.scopedLive.each([
  { name: "a file", journalOf: (folder: string, name: string) => Effect.succeed(fileJournal(folder, name)) },
  { name: "Postgres", journalOf: () => postgres }
])(
  "two processes that go on with one program at once, over $name, do nothing twice, and both end it",
  ({ journalOf }) =>
    Effect.gen(function* () {
      const file = yield* bundleOf(new URL("./child.ts", import.meta.url))
      const folder = yield* temporaryFolder
      for (const name of ["one", "two", "three", "four", "five", "six"]) {
        const config = { journal: yield* journalOf(folder, name), effects: join(folder, `${name}.txt`) }
        expect(yield* goOnTwice(file, config)).toEqual({ results: [expected, expected], happened: effects })
      }
    })
)
