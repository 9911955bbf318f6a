import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { type Config, points } from "./config.js"
import { carryOut, client, clientLayer, endingOf, orderOf, setUp, verdict } from "./cluster.js"
import type { Order } from "./evidence.js"

const seed = process.env["WIELD_CLUSTER_SEED"] ?? "1"
const kills = Number(process.env["WIELD_CLUSTER_KILLS"] ?? 3)

/** What happens to a runner: SIGKILL at a time or at a point, or SIGTERM; and whether it comes back at once. */
const choose = Effect.gen(function* () {
  const kind = yield* Random.choice(["SIGKILL", "SIGKILL", "SIGTERM", "point", "point"] as const)
  const point = yield* Random.choice(points)
  const time = yield* Random.nextIntBetween(1, 8)
  return {
    kind,
    stop: kind === "point" ? { point, time } : undefined,
    milliseconds: yield* Random.nextIntBetween(50, 1500),
    comesBack: (yield* Random.nextIntBetween(0, 3)) > 0
  }
})

it.scopedLive("three runners lose and double nothing, whatever kills them", () =>
  Effect.gen(function* () {
    const setting = yield* setUp()
    yield* Effect.gen(function* () {
      const shop = yield* client
      const ofRunners = new Map<string, ReadonlyArray<Order>>()
      /** A runner sends two orders itself, some of them to itself; and once more those of its life before. */
      const start = (address: string, stop?: Config["stop"]) =>
        Effect.suspend(() => {
          const before = ofRunners.get(address) ?? []
          const added = [1, 2].map((number) => orderOf(`order ${before.length + number} of ${address}`))
          const prompts = [...before, ...added]
          ofRunners.set(address, prompts)
          return setting.start(address, { prompts, isServing: true, stop })
        })
      const runners = new Map(
        yield* Effect.forEach(setting.addresses, (address) =>
          Effect.map(start(address), (runner) => [address, runner] as const)
        )
      )
      yield* Effect.forEach(runners.values(), ({ ready }) => ready)
      const orders = Array.from({ length: 4 * (kills + 1) }, (_, index) => orderOf(`order ${index}`))
      const sent: Array<Fiber.RuntimeFiber<string, unknown>> = []
      const send = (count: number) =>
        Effect.forEach(orders.slice(sent.length, sent.length + count), (order) =>
          Effect.map(Effect.fork(carryOut(shop, order)), (fiber) => sent.push(fiber))
        )
      for (let kill = 0; kill < kills; kill++) {
        const address = yield* Random.choice(setting.addresses)
        const chosen = yield* choose
        if (chosen.kind === "point") {
          // The runner that is to stand still takes the place of one that leaves as a deploy has it.
          yield* runners.get(address)!.signal("SIGTERM")
          yield* runners.get(address)!.gone
          runners.set(address, yield* start(address, chosen.stop))
          yield* runners.get(address)!.ready
        }
        yield* send(4)
        const victim = runners.get(address)!
        if (chosen.kind === "point") {
          // Not each point is passed often enough by what this runner gets.
          yield* Effect.race(victim.reached, Fiber.awaitAll(sent))
          yield* victim.signal("SIGKILL")
        } else {
          yield* Effect.sleep(chosen.milliseconds)
          yield* victim.signal(chosen.kind)
        }
        yield* victim.gone
        console.log(`kill ${kill}: ${chosen.stop?.point ?? chosen.kind}, ${chosen.comesBack ? "back" : "taken over"}`)
        if (!chosen.comesBack) yield* Fiber.awaitAll(sent)
        runners.set(address, yield* start(address))
      }
      yield* send(4)
      const inside = [...ofRunners.values()].flat()
      const endings = [
        ...(yield* Effect.forEach(sent, (fiber) => Fiber.join(fiber))),
        ...(yield* Effect.forEach(inside, (order) => endingOf(shop, order), { concurrency: "unbounded" }))
      ]
      expect(endings.filter((ending) => ending !== "Finished")).toEqual([])
      const { doubled, lost, uncertain, violations } = yield* verdict([...orders, ...inside])
      console.log(`seed ${seed}, ${kills} kills: ${lost} effects lost, ${doubled} doubled, ${uncertain} uncertain`)
      expect(violations).toEqual([])
    }).pipe(Effect.provide(clientLayer(setting)))
  }).pipe(Effect.withRandom(Random.make(seed)))
)
