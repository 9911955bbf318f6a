import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Effects as Table } from "../../../../test/kill/Effects.js"
import {
  carryOut,
  client,
  clientLayer,
  crashServer,
  orderOf,
  type Setting,
  setUp,
  severConnections,
  verdict
} from "./cluster.js"

/** Three runners, and orders of a name that go on meanwhile. */
const begin = (setting: Setting) =>
  Effect.gen(function* () {
    const shop = yield* client
    const runners = yield* Effect.forEach(setting.addresses, (address) => setting.start(address))
    yield* Effect.forEach(runners, ({ ready }) => ready)
    // No tool that the next version lacks.
    const orders: Array<ReturnType<typeof orderOf>> = []
    const send = (name: string) =>
      Effect.forEach([1, 2, 3, 4, 5, 6], (number) => {
        const order = orderOf(`${name} ${number}`, "pay / reserve, pay / refund / pay")
        orders.push(order)
        return Effect.map(Effect.fork(carryOut(shop, order)), (fiber) => ({ order, fiber }))
      })
    const settle = (sent: Effect.Effect.Success<ReturnType<typeof send>>, options?: Parameters<typeof verdict>[1]) =>
      Effect.gen(function* () {
        const endings = yield* Effect.forEach(sent, ({ fiber }) => Fiber.join(fiber))
        expect(endings.filter((ending) => ending !== "Finished")).toEqual([])
        // What was sent before is looked at again: nothing of it goes later either.
        return yield* verdict(orders, options)
      })
    return { runners, send, settle }
  })

it.scopedLive("the model does not hear of a deploy, which loses and doubles nothing", () =>
  Effect.gen(function* () {
    // Nothing is taken over here: a runner that has no processor for its heartbeat would lose its calls.
    const setting = yield* setUp(30_000)
    yield* Effect.gen(function* () {
      const { runners, send, settle } = yield* begin(setting)
      const deployed = yield* send("deploy")
      // One runner after the other leaves and comes back as the next version.
      for (const [index, address] of setting.addresses.entries()) {
        yield* runners[index]!.signal("SIGTERM")
        yield* runners[index]!.gone
        runners[index] = yield* setting.start(address, { isNext: true })
        yield* runners[index]!.ready
      }
      expect(yield* settle(deployed)).toMatchObject({ violations: [], interrupted: 0, uncertain: 0 })
    }).pipe(Effect.provide(clientLayer(setting)))
  })
)

it.scopedLive("a runner that hangs, severed connections and a crash of the database lose and double nothing", () =>
  Effect.gen(function* () {
    const setting = yield* setUp()
    yield* Effect.gen(function* () {
      const { runners, send, settle } = yield* begin(setting)

      // The others take over what a runner has that stands still, and it finds out when it goes on.
      const hung = yield* send("hang")
      yield* Effect.sleep("200 millis")
      yield* runners[0]!.signal("SIGSTOP")
      expect((yield* settle(hung)).violations).toEqual([])
      yield* runners[0]!.signal("SIGCONT")

      const severed = yield* send("sever")
      yield* Effect.sleep("200 millis")
      yield* severConnections
      expect((yield* settle(severed, { mayRefuse: true })).violations).toEqual([])

      const crashed = yield* send("crash")
      yield* Effect.sleep("200 millis")
      yield* crashServer
      expect((yield* settle(crashed, { mayRefuse: true })).violations).toEqual([])
    }).pipe(Effect.provide(clientLayer(setting)))
  })
)

it.scopedLive.each(["waits", "never ends"] as const)(
  "what a call did that %s beyond the grace of a runner is uncertain, and another goes on",
  (fiber) =>
    Effect.gen(function* () {
      const setting = yield* setUp()
      const [first, second] = setting.addresses as [string, string]
      yield* Effect.gen(function* () {
        const leaves = yield* setting.start(first, { stop: { point: "handler: after the effect", time: 1, fiber } })
        yield* leaves.ready
        const order = orderOf("grace", "pay / reserve / pay")
        const carried = yield* Effect.fork(carryOut(yield* client, order))
        expect(yield* leaves.reached).toBe(true)
        yield* leaves.signal("SIGTERM")
        yield* (yield* setting.start(second)).ready
        if (fiber === "never ends") {
          yield* leaves.interrupted
          yield* leaves.signal("SIGKILL")
        }
        expect((yield* leaves.gone).signal).toBe(fiber === "waits" ? null : "SIGKILL")
        expect(yield* Fiber.join(carried)).toBe("Finished")
        expect(yield* verdict([order])).toEqual({ violations: [], lost: 0, doubled: 0, uncertain: 1, interrupted: 0 })
      }).pipe(Effect.provide(clientLayer(setting)))
    })
)

it.scopedLive.each([0, 1])(
  "an answer that comes hours after all processes are gone has one effect, over %d kills",
  (kills) =>
    Effect.gen(function* () {
      const setting = yield* setUp()
      const [first, second, third] = setting.addresses as [string, string, string]
      const order = orderOf("later", "pay / refund / pay")
      const prompts = [order]
      const asks = yield* setting.start(first, { prompts })
      expect((yield* asks.gone).results).toMatchObject({ results: [{ ending: "Paused" }] })
      const later = 6 * 3_600_000
      const answers = { prompts, approval: "inline", later } as const
      if (kills > 0) {
        const dies = yield* setting.start(second, { ...answers, stop: { point: "handler: after the effect", time: 1 } })
        expect(yield* dies.reached).toBe(true)
        yield* dies.signal("SIGKILL")
        yield* dies.gone
      }
      // Whoever sends the same answer sends it to the same run.
      const last = yield* setting.start(third, { ...answers, later: 2 * later, isNext: true })
      expect((yield* last.gone).results).toMatchObject({ results: [{ ending: "Finished" }] })
      yield* Effect.gen(function* () {
        expect(yield* verdict([order])).toEqual({
          violations: [],
          lost: 0,
          doubled: 0,
          uncertain: kills,
          interrupted: 0
        })
        const happened = (yield* (yield* Table).all).map(({ item, tool }) => `${tool} ${item}`)
        expect(happened).toEqual(["pay later/1/1", "refund later/2/1", "pay later/3/1"])
      }).pipe(Effect.provide(clientLayer(setting)))
    })
)

it.scopedLive("a message that a runner took and dropped is delivered again in the time of a takeover", () =>
  Effect.gen(function* () {
    const setting = yield* setUp()
    yield* Effect.gen(function* () {
      const shop = yield* client
      yield* (yield* setting.start(setting.addresses[0]!)).ready
      // The runner has the shards: what is reset as it gets them is over.
      expect(yield* carryOut(shop, orderOf("taken", "look"))).toBe("Finished")
      const sql = yield* SqlClient
      yield* sql`CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.last_read = NOW(); RETURN NEW; END'`
      yield* sql`CREATE TRIGGER taken BEFORE INSERT ON cluster_messages FOR EACH ROW EXECUTE FUNCTION take()`
      const run = yield* shop.prompt("taken", { prompt: "Do again: look" })
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(clientLayer(setting)))
  })
)
