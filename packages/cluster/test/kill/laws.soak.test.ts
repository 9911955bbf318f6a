import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { carryOut, client, clientLayer, crashServer, orderOf, setUp, severConnections, verdict } from "./cluster.js"

it.scopedLive(
  "a deploy, a runner that hangs, severed connections and a crash of the database lose and double nothing",
  () =>
    Effect.gen(function* () {
      const setting = yield* setUp
      yield* Effect.gen(function* () {
        const shop = yield* client
        const [first, second, third] = setting.addresses
        const runners = yield* Effect.forEach([first!, second!, third!], (address) => setting.start(address))
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
        const wrong: Array<string> = []

        // One runner after the other leaves and comes back as the next version.
        const deployed = yield* send("deploy")
        for (const [index, address] of [first!, second!, third!].entries()) {
          yield* runners[index]!.signal("SIGTERM")
          yield* runners[index]!.gone
          runners[index] = yield* setting.start(address, { isNext: true })
          yield* runners[index]!.ready
        }
        const { interrupted, uncertain } = yield* settle(deployed)
        if (interrupted + uncertain > 0) wrong.push(`the model heard of the deploy ${interrupted + uncertain} times`)

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

        const all = [deployed, hung, severed, crashed].flat().map(({ order }) => order)
        const { violations } = yield* verdict(all)
        expect([...wrong, ...violations]).toEqual([])
      }).pipe(Effect.provide(clientLayer(setting)))
    })
)
