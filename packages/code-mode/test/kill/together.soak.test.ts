/** Two processes that go on with the same programs at the same moment. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { bundleOf } from "../../../../test/programs.js"
import { effectsIn, fileJournal, runChild, startChild, temporaryFolder } from "./children.js"
import { effects, expected, type Run } from "./program.js"

/** What both found of each program, and what took effect. */
const goOnTwice = (file: string, runs: ReadonlyArray<Run>) =>
  Effect.gen(function* () {
    const happened = () => runs.map((run) => [...effectsIn(run.effects)].sort((a, b) => a - b))
    yield* runChild(file, { runs, isAsking: true })
    expect(happened()).toEqual(runs.map(() => [1, 3, 5]))
    const children = yield* Effect.all(
      [1, 2].map(() => startChild(file, { runs, isWaiting: true })),
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
    return { results: ended.map((all) => all.map((one) => one?.result)), happened: happened() }
  })

const postgres = Effect.map(Effect.provide(Postgres.Postgres, Layer.fresh(Postgres.layer)), ({ url }) => ({
  _tag: "Postgres" as const,
  url
}))

it.scopedLive.each([
  { name: "a file", journalOf: (folder: string, name: string) => Effect.succeed(fileJournal(folder, name)) },
  { name: "Postgres", journalOf: () => postgres }
])("two processes that go on with programs at once, over $name, do nothing twice, and both end them", ({ journalOf }) =>
  Effect.gen(function* () {
    const file = yield* bundleOf(new URL("./child.ts", import.meta.url))
    const folder = yield* temporaryFolder
    const runs = yield* Effect.forEach(["one", "two", "three", "four", "five", "six"], (name) =>
      Effect.map(journalOf(folder, name), (journal): Run => ({
        journal,
        effects: join(folder, `${name}.txt`),
        stop: 0
      }))
    )
    const results = runs.map(() => expected)
    expect(yield* goOnTwice(file, runs)).toEqual({ results: [results, results], happened: runs.map(() => effects) })
  })
)
