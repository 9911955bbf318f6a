import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Stop from "@wield/agent/Stop"
import * as Fibers from "@wield/core/Fibers"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { Api, type Changed, Conflict, Refused, type Run } from "../Api.js"
import { notFound, type Parts } from "./parts.js"
import * as Chunk from "effect/Chunk"
import * as PubSub from "effect/PubSub"

export const runsHandlers = (parts: Parts) => {
  const { changed, prices, recorder } = parts
  const withCost = (run: Run): Run => {
    const models = new Map(
      Object.entries(run.models).map(([model, { cacheRead, cacheWrite, input, output, reasoning }]) => [
        model,
        { input, output, reasoning, cacheRead, cacheWrite }
      ])
    )
    const cost = prices === undefined || models.size === 0 ? undefined : Stop.priceOf(models, prices)
    return cost === undefined ? run : { ...run, cost }
  }
  return HttpApiBuilder.group(Api, "runs", (handlers) =>
    handlers
      .handle("list", () =>
        Effect.map(Effect.all([recorder.runs, recorder.last]), ([runs, { last }]) => ({
          runs: runs.map(withCost),
          last
        }))
      )
      .handle("events", ({ path: { id }, urlParams: { after = 0, limit = 1000 } }) =>
        Effect.gen(function* () {
          const run = yield* recorder.run(id)
          if (run === undefined) return yield* notFound("run", id)
          const most = Math.min(limit, 10_000)
          const events = yield* recorder.events({ after, limit: most, run: id })
          return { run: withCost(run), events, isMore: (events.at(-1)?.sequence ?? run.last) < run.last }
        })
      )
      .handle("export", ({ path: { id } }) =>
        Effect.flatMap(recorder.export(id), (file) => (file === undefined ? notFound("run", id) : Effect.succeed(file)))
      )
      .handle("import", ({ payload }) =>
        Effect.gen(function* () {
          if (payload.events.length === 0) return yield* new Refused({ message: "The file has no events" })
          const run = yield* recorder.import(payload)
          yield* PubSub.publish(changed, "runs")
          return run ?? (yield* new Conflict({ message: `The run ${payload.id} is there already` }))
        })
      )
      .handle("record", ({ payload }) => recorder.take(payload))
      .handleRaw("stream", ({ request, urlParams: { after = 0, epoch, run } }) =>
        Effect.succeed(
          HttpServerResponse.stream(
            Stream.encodeText(
              whileTaken(
                parts,
                messages(parts, epoch === undefined || epoch === recorder.epoch ? lastSeen(request, after) : 0, run)
              )
            ),
            // A proxy must not hold messages back.
            { contentType: "text/event-stream", headers: { "x-accel-buffering": "no" } }
          )
        )
      )
  )
}

/** A browser that connects again says which message it saw last. */
const lastSeen = ({ headers }: HttpServerRequest.HttpServerRequest, after: number): number =>
  Math.max(after, Number(headers["last-event-id"] ?? 0) || 0)

const messages = ({ changed, recorder }: Parts, after: number, run: string | undefined): Stream.Stream<string> => {
  let sent = after
  let reported = 0
  const next = Effect.gen(function* () {
    const dropped = run === undefined ? (yield* recorder.last).dropped : droppedOf(yield* recorder.run(run))
    // Older events of another run may still be there.
    const gap = sent > 0 && dropped > Math.max(sent, reported) ? [messageOf("gap", { after: dropped })] : []
    reported = Math.max(reported, dropped)
    const texts: Array<string> = []
    let size = 0
    for (const event of yield* recorder.events({ after: sent, limit: mostAtOnce, run })) {
      if (size > largestChunk) break
      sent = event.sequence
      const text = messageOf("event", event, event.sequence)
      size += text.length
      texts.push(text)
    }
    return gap.length + texts.length === 0
      ? yield* Effect.fail(Option.none())
      : Chunk.unsafeFromArray([...gap, ...texts])
  })
  const events = Stream.merge(Stream.void, recorder.news).pipe(
    Stream.flatMap(() => Stream.repeatEffectChunkOption(next))
  )
  const changes = Stream.fromPubSub(changed).pipe(Stream.map((what: Changed) => messageOf("changed", { what })))
  const hello = Effect.map(recorder.last, ({ last }) => messageOf("hello", { epoch: recorder.epoch, last }))
  const heartbeat = Stream.map(Stream.drop(Stream.tick("15 seconds"), 1), () => ":\n\n")
  return Stream.concat(
    Stream.fromEffect(hello),
    // One that reads nothing holds no more than is made for it: the recorder keeps the rest.
    Stream.mergeAll([events, changes, heartbeat], { concurrency: "unbounded", bufferSize: 1 })
  )
}

/** Ends for a reader that takes no more of it. It goes on by the id that it saw last. */
const whileTaken = ({ runtime }: Parts, stream: Stream.Stream<string>): Stream.Stream<string> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const pull = yield* Stream.toPull(stream)
      let handedOut = 0
      /** The reader has what was handed out last, and has not come back for more. */
      let isHeld = false
      let before = 0
      const look = Effect.sync(() => {
        const isIdle = isHeld && handedOut === before
        before = handedOut
        return isIdle
      })
      yield* Fibers.withFiber((reader) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            Effect.repeat(Effect.delay(look, "1 minute"), { until: (isIdle) => isIdle }).pipe(
              Effect.zipRight(Effect.logWarning(dropped)),
              Effect.zipRight(Fiber.interruptFork(reader)),
              Runtime.runFork(runtime)
            )
          ),
          Fiber.interruptFork
        )
      )
      return Stream.repeatEffectChunkOption(
        Effect.zipRight(
          Effect.sync(() => void (isHeld = false)),
          Effect.tap(pull, () => {
            handedOut++
            isHeld = true
          })
        )
      )
    })
  )

const dropped =
  "A reader of the studio's events took none for a minute, and was dropped: it goes on from the last one that it saw"

/** What is made at once for one reader, in events and in characters. */
const mostAtOnce = 64
const largestChunk = 65_536

/** The sequence number of the newest event of a run that had to make room. */
const droppedOf = (run: Run | undefined): number => (run === undefined || run.dropped === 0 ? 0 : run.first - 1)

/** JSON has no line ends of its own. */
const messageOf = (event: string, data: object, id?: number): string =>
  `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
