import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
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
    const send = (name: string) =>
      Effect.forEach([1, 2, 3, 4, 5, 6], (number) => {
        const order = orderOf(`${name} ${number}`, "pay / reserve, pay / refund / pay")
        return Effect.map(Effect.fork(carryOut(shop, order)), (fiber) => ({ order, fiber }))
      })
    const settle = (sent: Effect.Effect.Success<ReturnType<typeof send>>) =>
      Effect.gen(function* () {
        const endings = yield* Effect.forEach(sent, ({ fiber }) => Fiber.join(fiber))
        expect(endings.filter((ending) => ending !== "Finished")).toEqual([])
        return yield* verdict(sent.map(({ order }) => order))
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
      yield* settle(hung)
      yield* runners[0]!.signal("SIGCONT")

      const severed = yield* send("sever")
      yield* Effect.sleep("200 millis")
      yield* severConnections
      yield* settle(severed)

      const crashed = yield* send("crash")
      yield* Effect.sleep("200 millis")
      yield* crashServer
      yield* settle(crashed)

      const all = [hung, severed, crashed].flat().map(({ order }) => order)
      expect((yield* verdict(all)).violations).toEqual([])
    }).pipe(Effect.provide(clientLayer(setting)))
  })
)
