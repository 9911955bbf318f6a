/** A process is killed while it writes: what it has said to be done is there, and nothing was done twice. */
import * as Digest from "@wield/core/Digest"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tool, wield } from "wield"
import { memoryRecords, type Records, storeOf, testStore } from "wield/store"
import { z } from "zod"
import { bundleOf } from "../../../../test/programs.js"
import { sized } from "../../../../test/sizes.js"
import { openDesk, paymentsIn, type Store, stores } from "./desk.js"
import { FakeRedis, type Redis, redisRecords } from "./redis.js"

const folder = mkdtempSync(join(tmpdir(), "wield-killed-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the desk has said up to its end. */
const runUntil = async (kind: string, place: string, line: string): Promise<ReadonlyArray<string>> => {
  const program = await Effect.runPromise(bundleOf(new URL("untilKilled.ts", import.meta.url)))
  const child = spawn(process.execPath, [program, kind, place], { stdio: ["ignore", "pipe", "inherit"] })
  const closed = once(child, "close")
  const lines: Array<string> = []
  for await (const said of createInterface(child.stdout)) {
    lines.push(said)
    if (said === line) child.kill("SIGKILL")
  }
  await closed
  return lines
}

/** What holds after a desk has said these lines, and then nothing more. */
const check = async (store: Store, paidFile: string, lines: ReadonlyArray<string>) => {
  const said = (what: string) =>
    lines
      .filter((line) => line.startsWith(`${what} `))
      .map((line) => Number(line.split(" ")[1]))
      .filter((order) => order >= 0)
  const desk = await openDesk(store, paidFile)
  const before = paymentsIn(paidFile)
  for (const order of said("paid")) {
    const outcome = await desk.pay(order)
    expect([outcome._tag, outcome._tag === "Success" && outcome.result]).toEqual(["Success", `payment of ${order}`])
  }
  // One may have begun, and be it over or not, no record says so.
  for (const order of said("paying").filter((order) => !said("paid").includes(order))) {
    expect(["Success", "Uncertain"]).toContain((await desk.pay(order))._tag)
  }
  const orders = before.filter((order) => order !== "-1")
  expect(paymentsIn(paidFile)).toEqual(before)
  expect(new Set(orders).size).toBe(orders.length)

  const answered = said("answered")
  if (answered.length > 0) {
    const entries = await desk.read()
    const turn = (order: number) => [expect.stringContaining(`Order ${order}?`), "Assistant", "Results", "Assistant"]
    expect(entries.slice(0, answered.length * 4)).toEqual(answered.flatMap(turn))
    const begun = turn(answered.length)
    expect(entries.slice(answered.length * 4)).toEqual(begun.slice(0, entries.length - answered.length * 4))
  }
  // The conversation goes on where it is, and another one begins.
  const { length } = await desk.ask("And now?").then(desk.read, desk.read)
  expect(length).toBeGreaterThan(answered.length * 4)
  await desk.close()
}

describe.each(Object.entries(stores))("%s", (kind, open) => {
  const points = [
    "paying 2",
    "paid 1",
    "answered 0",
    "paying 0",
    "answered 1",
    "paid 3",
    "answered 4",
    "paying 5",
    "paid 6"
  ]
  const empty = mkdtempSync(join(folder, "empty-"))
  // To make a database takes longer than all else: each place has a copy of one.
  beforeAll(async () => (await open(empty)).close?.())
  it.each(points.slice(0, sized(kind === "PGlite" ? 1 : 2, points.length)))(
    "has what was done when a process was killed at “%s”",
    async (line) => {
      const place = mkdtempSync(join(folder, "place-"))
      cpSync(empty, place, { recursive: true })
      const lines = await runUntil(kind, place, line)
      expect(lines).toContain(line)
      const { close, store } = await open(place)
      await check(store, join(place, "paid"), lines)
      expect(await testStore(store)).toBe(9)
      await close?.()
    }
  )
})

it.each(["begun", "beat", "ended"])("a call whose record “%s” was cut off is not made again", async (part) => {
  const place = mkdtempSync(join(folder, "place-"))
  const records = memoryRecords()
  const paid = join(place, "paid")
  const desk = await openDesk(storeOf(records), paid)
  await desk.pay(1)
  await desk.close()
  const [{ key } = { key: "" }] = (await records.list("calls/")).filter(({ key }) => key.endsWith("/begun"))
  if (part !== "ended") await records.delete(key.replace(/begun$/, "ended"))
  // The sign of life has the name of its process.
  const { owner } = JSON.parse((await records.get(key)) ?? "") as { readonly owner: unknown }
  const name = part === "beat" ? `beat.~${Digest.ofText(JSON.stringify(owner))}` : part
  await records.set(key.replace(/begun$/, name), '{"at":1')
  const later = await openDesk(storeOf(records), paid)
  expect((await later.pay(1))._tag).toBe("Uncertain")
  expect(paymentsIn(paid)).toEqual(["1"])
  await later.close()
})

describe.concurrent("a database that a process loses after each of its commands", () => {
  /** Each command works until so many have been given; none does after. */
  const until = <Client extends object>(client: Client, count: number): Client => {
    let given = 0
    return new Proxy(client, {
      get: (target, name) => {
        // Each key of these clients is a function.
        const command = Reflect.get(target, name) as (...given: ReadonlyArray<unknown>) => Promise<unknown>
        return (...values: ReadonlyArray<unknown>) =>
          ++given > count ? Promise.reject(new Error("the connection is lost")) : command.apply(target, [...values])
      }
    })
  }
  /** What survives, and the five functions of a process that loses it after so many commands. */
  const databases: { readonly [kind: string]: () => (count: number) => Records } = {
    memory: () => {
      const records = memoryRecords()
      return (count) => until(records, count)
    },
    Redis: () => {
      const redis: Redis = new FakeRedis()
      return (count) => redisRecords(until(redis, count))
    }
  }
  const losses = Array.from({ length: sized(14, 130) }, (_, index) => 1 + index * sized(10, 1))

  it.each(Object.entries(databases))("%s has what was done before", async (_, make) => {
    const ends = losses.map(async (count) => {
      const recordsUntil = make()
      const paidFile = join(mkdtempSync(join(folder, "place-")), "paid")
      const lines: Array<string> = []
      const log: Array<string> = []
      const desk = await openDesk(storeOf(recordsUntil(count)), paidFile, {
        onPaying: async (order) => void lines.push(`paying ${order}`),
        logger: ({ message }) => void log.push(message)
      })
      const talk = async () => {
        for (let order = 0; order < 2; order++) {
          const { _tag } = await desk.pay(order)
          // A payment that is made is one, also where the log has to say that no record does.
          if (_tag === "Success" && !log.join().includes("did not record the end")) lines.push(`paid ${order}`)
          await desk.ask(`Order ${order}?`)
          lines.push(`answered ${order}`)
        }
        return "nothing: the connection is lost later"
      }
      expect(await talk().catch(String)).toMatch(/cannot be reached|the connection is lost/)
      await desk.close().catch(() => {})
      const store = storeOf(recordsUntil(Number.POSITIVE_INFINITY))
      await check(store, paidFile, lines)
      return { store, isWhole: lines.includes("answered 1") }
    })
    const ended = await Promise.all(ends)
    // The last one has lost nothing.
    expect(ended.slice(-2).map(({ isWhole }) => isWhole)).toContain(true)
    for (const { store } of ended.filter((_, index) => index % 10 === 0)) expect(await testStore(store)).toBe(9)
  })

  /** Of tool and answer, what the history says at the end, and no more than that. */
  const answered = {
    "a payment that was denied": ["pay", { deny: "Not today" }, "Not today"],
    "a question that its client has answered": ["choose", { result: "the blue one" }, "the blue one"]
  } as const
  const kinds = Object.entries(databases).flatMap(([kind, make]) =>
    Object.entries(answered).map(([what, how]) => ({ kind, make, what, how }))
  )

  it.each(kinds)("$kind never says of $what that it was run", async ({ make, how: [name, reply, said] }) => {
    const ends = Array.from({ length: sized(20, 60) }, async (_, index) => {
      const after = index * sized(3, 1)
      const recordsUntil = make()
      let paid = 0
      const open = async (count: number) => {
        const pay = tool("pay", { execute: () => `payment ${++paid}` })
        const choose = tool("choose", { outputSchema: z.string() })
        const store = storeOf(recordsUntil(count))
        const approval = { pay: () => "ask" as const }
        const desk = await wield({ tools: [pay, choose], store, approval, logger: () => {} })
        const model = FunctionModel.make(({ messages }) =>
          messages.at(-1)?._tag === "User" ? ScriptedModel.call(name, {}, { id: "1" }) : ScriptedModel.text("Done.")
        )
        return { desk, agent: desk.agent({ model }) }
      }
      const first = await open(Number.POSITIVE_INFINITY)
      const asked = await first.agent.ask("Go on", { conversation: "one" })
      await first.desk.close()
      expect(asked._tag).toBe("Paused")
      const answers = asked._tag === "Paused" ? asked.requests.map((to) => ({ to, reply })) : []
      const lost = await open(after)
      const told = await lost.agent.ask(undefined, { conversation: "one", answers }).then(
        ({ _tag }) => _tag,
        () => "lost"
      )
      await lost.desk.close().catch(() => {})
      const last = await open(Number.POSITIVE_INFINITY)
      const goOn = (given: object) => last.agent.ask(undefined, { conversation: "one", ...given })
      // The answers come again, or only where they are asked for again.
      let { _tag } = await goOn(index % 2 === 0 ? { answers } : {})
      if (_tag === "Paused") ({ _tag } = await goOn({ answers }))
      const entries = JSON.stringify((await last.desk.conversations.read("one")).entries)
      await last.desk.close()
      expect([_tag, paid]).toEqual(["Finished", 0])
      expect(entries).toContain(said)
      expect(entries).not.toContain("may already have taken effect")
      return told
    })
    expect(new Set(await Promise.all(ends))).toEqual(new Set(["lost", "Finished"]))
  })
})
