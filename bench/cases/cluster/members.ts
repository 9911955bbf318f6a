/** Processes of a cluster, and the client in this one. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { freePort } from "../../harness/postgres.js"
import { withClient } from "../../peers/durable/durable.js"
import type { Options } from "../../peers/durable/member.js"
import type { Order } from "../../peers/durable/wield.js"

export interface Member {
  readonly address: string | undefined
  readonly signal: (signal: NodeJS.Signals) => void
  /** Milliseconds from sending an order to its first event. One at a time. */
  readonly timeToFirstEvent: (order: Order) => Promise<number>
  readonly gone: Promise<void>
}

const program = fileURLToPath(new URL("../../peers/durable/member.js", import.meta.url))

/** Killed with the scope. */
const join = (url: string, options: Options): Effect.Effect<Member, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = fork(program, [url, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe", "ipc"] })
      let complaint = ""
      child.stderr?.on("data", (text) => (complaint += String(text)))
      const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      const hear = () =>
        new Promise<unknown>((resolve, reject) => {
          child.once("message", resolve)
          void gone.then(() => reject(new Error(`a process of the cluster ended: ${complaint.slice(-2000)}`)))
        })
      await hear()
      return {
        address: options.address,
        signal: (signal: NodeJS.Signals) => void child.kill(signal),
        timeToFirstEvent: (order: Order) => {
          const heard = hear()
          child.send(order)
          return heard.then(Number)
        },
        gone
      }
    }),
    ({ signal }) => Effect.sync(() => signal("SIGKILL"))
  )

export const joinClient = (url: string, takeover: number) => join(url, { takeover, pace: 0 })

/** Runners, each with its share of the conversations. */
export const joinRunners = (count: number, url: string, options: Omit<Options, "address">) =>
  Effect.gen(function* () {
    const runners: Array<Member> = []
    while (runners.length < count) {
      runners.push(yield* join(url, { ...options, address: `127.0.0.1:${yield* freePort}` }))
    }
    yield* Effect.promise(() => untilShared(url, runners))
    return runners
  })

/** Shards move for a while when a runner joins. */
const untilShared = async (url: string, runners: ReadonlyArray<Member>): Promise<void> => {
  let before = ""
  for (;;) {
    const counts = await withClient(url, async (client) => {
      const { rows } = await client.query("SELECT address, count(*)::int AS count FROM cluster_locks GROUP BY address")
      return new Map(rows.map(({ address, count }) => [String(address), Number(count)]))
    })
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const isShared = runners.every(({ address }) => (counts.get(address ?? "") ?? 0) > all / runners.length / 3)
    const now = JSON.stringify([...counts].toSorted())
    if (isShared && now === before) return
    before = now
    await new Promise((resolve) => setTimeout(resolve, 3000))
  }
}
