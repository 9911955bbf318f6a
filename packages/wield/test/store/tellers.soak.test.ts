/**
 * Several processes over one store are asked about the same conversations at once, killed, and stopped for longer than
 * a process may be silent. Whatever comes of it: what was approved is paid once, what was denied is not, and what was
 * said to be done is in the history.
 */
import { Effect } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, it } from "vitest"
import { wield } from "wield"
import { bundleOf } from "../../../../test/programs.js"
import { paymentsIn, stores } from "./desk.js"
import type { Question, Told } from "./teller.js"

const folder = mkdtempSync(join(tmpdir(), "wield-tellers-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Teller {
  readonly child: ChildProcess
  /** What it was asked and has not answered. */
  readonly open: Map<number, (told: Told) => void>
}

const begin = async (program: string, ...given: ReadonlyArray<string>): Promise<Teller> => {
  const child = fork(program, given)
  await once(child, "message")
  const open: Teller["open"] = new Map()
  child.on("message", (told: Told) => open.get(told.id)?.(told))
  child.on("disconnect", () => open.forEach((resolve, id) => resolve({ id, tag: "Killed" })))
  return { child, open }
}

let asked = 0

const ask = ({ child, open }: Teller, question: Omit<Question, "id">): Promise<Told> =>
  new Promise((resolve) => {
    const id = ++asked
    if (!child.connected) return resolve({ id, tag: "Killed" })
    open.set(id, resolve)
    // One that is killed meanwhile says so by its end.
    child.send({ ...question, id }, () => {})
  })

it.each(["a file", "a folder of files"])("%s", async (kind) => {
  const place = mkdtempSync(join(folder, "place-"))
  const program = await Effect.runPromise(bundleOf(new URL("teller.ts", import.meta.url)))
  const tellers = await Promise.all(Array.from({ length: 3 }, () => begin(program, kind, place)))
  const approved: Array<string> = []

  const serve = async (conversation: string, order: string) => {
    const askAny = (question: Omit<Question, "conversation" | "id">) =>
      ask(tellers[Math.floor(Math.random() * tellers.length)]!, { ...question, conversation })
    let requests: Told["requests"]
    while (requests === undefined) {
      requests = (await askAny({ prompt: `Pay order ${order}`, promptId: order })).requests
    }
    const isApproved = Math.random() < 0.7
    const answers = requests.map((to) => ({ to, reply: isApproved ? ("approve" as const) : { deny: "too much" } }))
    // By two pages at once, until one of them has read what came of it.
    let told: ReadonlyArray<Told> = []
    while (!told.some(({ tag }) => tag === "Finished")) {
      told = await Promise.all([askAny({ answers }), askAny({ answers })])
    }
    if (isApproved) approved.push(order)
  }

  const conversations = ["one", "two", "three"]
  const served = Promise.all(
    conversations.map(async (conversation) => {
      for (let number = 0; number < 12; number++) await serve(conversation, `${conversation}${number}`)
    })
  )
  let isOver = false
  const trouble = async () => {
    for (let count = 1; !isOver; count++) {
      await sleep(100 + Math.random() * 400)
      const index = count % tellers.length
      const { child } = tellers[index]!
      if (count % 10 === 4) {
        child.kill("SIGSTOP")
        await sleep(12_000)
        child.kill("SIGCONT")
      } else {
        child.kill("SIGKILL")
        tellers[index] = await begin(program, kind, place)
      }
    }
  }
  const troubled = trouble()
  await served
  isOver = true
  await troubled
  for (const { child } of tellers) child.kill("SIGKILL")

  const payments = paymentsIn(join(place, "paid"))
  expect(new Set(payments).size).toBe(payments.length)
  expect(approved).toEqual(expect.arrayContaining(payments.slice()))
  const { close, store } = await stores[kind]!(place)
  const bank = await wield({ tools: [], store })
  const history = JSON.stringify(await Promise.all(conversations.map((id) => bank.conversations.read(id))))
  const isSaid = (order: string) => history.includes(`payment of ${order}"`)
  expect(payments).toEqual(expect.arrayContaining(approved.filter(isSaid)))
  // Of those at whose payment a process was killed, the history says that it is not known.
  const unknown = history.match(/may already have taken effect/g) ?? []
  expect(unknown.length).toBe(approved.filter((order) => !isSaid(order)).length)
  await bank.close()
  await close?.()
})
