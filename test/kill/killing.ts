/**
 * Conversations over one store, whose process is killed again and again. Each
 * process goes on with what the ones before it left, and begins two more
 * conversations; the last one is left alone until everything is finished.
 */
import { DeferredCall } from "@wield/agent"
import { Effect, Random, Schema } from "effect"
import { join } from "node:path"
import { type ChildConfig, type Point, points } from "./childConfig.js"
import { type Moment, runChild } from "./childProcess.js"

export interface Killing {
  /** The bundled child. */
  readonly file: string
  /** For the files of the test. */
  readonly folder: string
  readonly store: ChildConfig["store"]
  readonly model: string
  readonly approval: ChildConfig["approval"]
  readonly kills: number
  readonly seed: string
}

export interface Killed {
  readonly conversations: ReadonlyArray<string>
  /** At which moments processes were killed: a point, or what the time was counted from. */
  readonly moments: ReadonlyArray<string>
  readonly effects: string
  readonly log: string
}

/** How often a point is passed, about, while two conversations run. */
const passes: { readonly [P in Point]: number } = {
  "begin: before the journal": 40,
  "begin: after the journal": 40,
  "handler: before the effect": 28,
  "handler: after the effect": 28,
  "handler: after an effect that may not be repeated": 20,
  "finish: before the journal": 40,
  "finish: after the journal": 40,
  "append: before the store": 26,
  "append: after the store": 26,
  "model: in the stream": 150,
  "approval: before the answer": 5
}

interface Chosen {
  readonly name: string
  readonly stop: ChildConfig["stop"]
  readonly moment: Moment
}

/**
 * Half of them by time, over the whole of a process's life, and half at points.
 * A process that goes on with what paused soon pauses again.
 */
const choose = (starting: number, running: number, approval: ChildConfig["approval"]): Effect.Effect<Chosen> =>
  Effect.gen(function* () {
    const kind = yield* Random.nextIntBetween(0, 10)
    if (kind === 0) {
      const milliseconds = yield* Random.nextRange(0, starting)
      return { name: "while it starts", stop: undefined, moment: { _tag: "AfterStart", milliseconds } }
    }
    if (kind < 5) {
      const milliseconds = yield* Random.nextRange(0, approval === "inline" ? running : running / 4)
      return { name: "while it runs", stop: undefined, moment: { _tag: "AfterReady", milliseconds } }
    }
    const possible = points.filter((point) => approval === "inline" || !point.startsWith("approval"))
    const point = possible[yield* Random.nextIntBetween(0, possible.length)]!
    const time = yield* Random.nextIntBetween(1, approval === "inline" ? passes[point] + 1 : 3)
    return { name: point, stop: { point, time }, moment: { _tag: "AtPoint" } }
  })

/** The call was begun, took effect, and is not finished. */
const inHandler: Chosen = {
  name: "handler: after an effect that may not be repeated",
  stop: { point: "handler: after an effect that may not be repeated", time: 5 },
  moment: { _tag: "AtPoint" }
}

export const killAgainAndAgain = (killing: Killing): Effect.Effect<Killed> =>
  Effect.gen(function* () {
    const { approval, folder, model, seed, store } = killing
    const effects = join(folder, `${seed} effects.db`)
    const log = join(folder, `${seed} begun.jsonl`)
    const conversations: Array<string> = []
    const moments: Array<string> = []
    /** What is not finished, with the answers to what it waits for. */
    const open = new Map<string, ReadonlyArray<unknown>>()

    const begin = () => {
      for (const ending of ["a", "b"]) {
        const id = `${seed} ${conversations.length}${ending}`
        conversations.push(id)
        open.set(id, [])
      }
    }
    const run = ({ moment, stop }: Chosen) =>
      Effect.gen(function* () {
        const list = [...open].map(([id, answers]) => ({ id, answers }))
        const config = { store, effects, log, model, approval, conversations: list, stop }
        const ended = yield* runChild(killing.file, config, moment)
        for (const { ending, id, requests } of ended.results ?? []) {
          if (ending === "Finished") open.delete(id)
          else if (ending === "Paused") open.set(id, yield* approved(requests))
          else return yield* Effect.dieMessage(`the conversation ${id} ended as ${ending}`)
        }
        return ended
      })
    const never: Chosen = { name: "never", stop: undefined, moment: { _tag: "Never" } }

    // How long things take here is not known yet.
    begin()
    const { running, starting } = yield* run(never)
    while (moments.length < killing.kills) {
      // What has paused is gone on with alone: the next call of all is the one that waited.
      if (approval === "inline" || open.size === 0) begin()
      // The first kill is certain to leave a call uncertain.
      const chosen =
        moments.length === 0 && approval === "inline" ? inHandler : yield* choose(starting, running, approval)
      if ((yield* run(chosen)).isKilled) moments.push(chosen.name)
    }
    while (open.size > 0) yield* run(never)
    return { conversations, moments, effects, log }
  }).pipe(Effect.withRandom(Random.make(killing.seed)))

/** A person says yes to all of them, in yet another process. */
const approved = (requests: ReadonlyArray<DeferredCall.Encoded>): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.forEach(requests, (encoded) =>
    Effect.gen(function* () {
      const request = yield* Effect.orDie(Schema.decode(DeferredCall.DeferredCall)(encoded))
      return yield* Effect.orDie(Schema.encode(DeferredCall.Answer)(DeferredCall.approve(request)))
    })
  )
