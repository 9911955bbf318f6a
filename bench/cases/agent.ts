/** The loop around a model: a thousand conversations at once, and what a turn, a call and a piece of a stream cost. */
import { setImmediate } from "node:timers/promises"
import { heap, kilobytes } from "../harness/heap.js"
import { assertEqual, batched, type Contender, keep, measure } from "../harness/measure.js"
import { duration, type Group, type Measured, rowOf, timingTable, type TimingTable } from "../harness/table.js"
import { aiSdkGenerateLoop, aiSdkStream, aiSdkStreamLoop } from "../peers/aiSdkAgent.js"
import { byHand, byHandLoop } from "../peers/byHand.js"
import { openAiAgentsStreamLoop } from "../peers/openAiAgentsLoop.js"
import {
  wieldGuardedLoop,
  wieldIdleLoop,
  wieldRun,
  wieldRunLoop,
  wieldStreamLoop,
  wieldTracedLoop
} from "../peers/wieldAgent.js"
import { expectedOf, type Loop, type MakeLoop, scriptOf, type Shape } from "../task/conversation.js"

const loops: ReadonlyArray<MakeLoop> = [
  byHandLoop,
  wieldRunLoop,
  wieldStreamLoop,
  aiSdkStreamLoop,
  aiSdkGenerateLoop,
  openAiAgentsStreamLoop
]

const count = 1_000

/** Ten calls each, in five turns. */
const usual: Shape = { turns: 5, calls: 2 }

const atOnce = (loop: Loop, together: number): Contender =>
  batched(
    loop.name,
    loop.converse,
    async (times) => {
      for (let time = 0; time < times; time++) {
        keep(await Promise.all(Array.from({ length: together }, () => loop.converse())))
      }
    },
    together
  )

/** A thousand of these take minutes: what one takes grows with how many there are. */
const few = 100
const slow = new Set([aiSdkStream])

const thousand = async (): Promise<Measured> => {
  const contenders = loops.map((make) => make(usual)).map((loop) => atOnce(loop, slow.has(loop.name) ? few : count))
  await assertEqual(contenders, expectedOf(usual))
  const samples = await measure(contenders, { rounds: 3, sampleMilliseconds: 1, warmMilliseconds: 1 })
  const table = timingTable(`${count} conversations at once, 10 calls each: time of a conversation`, samples, byHand)
  return {
    tables: [
      table,
      {
        _tag: "Figures",
        title: "throughput of one process, in processor time",
        columns: ["loop", "conversations/s", "calls/s"],
        rows: table.rows.map(({ minimum, name }) => [name, perSecond(minimum), perSecond(minimum / 10)])
      }
    ],
    goals: [],
    notes: [`Of ${[...slow].join(", ")}, only ${few} are at once.`]
  }
}

const perSecond = (nanoseconds: number): string => Math.round(1e9 / nanoseconds).toLocaleString("en")

const timed = async (title: string, shape: Shape): Promise<TimingTable> => {
  const contenders = loops.map((make) => {
    const loop = make(shape)
    return batched(loop.name, loop.converse, async (times) => {
      for (let time = 0; time < times; time++) keep(await loop.converse())
    })
  })
  await assertEqual(contenders, expectedOf(shape))
  return timingTable(
    title,
    await measure(contenders, { rounds: 11, sampleMilliseconds: 15, warmMilliseconds: 400 }),
    byHand
  )
}

const pieces = scriptOf(usual)[0]?.calls[0]?.pieces.length

/** What a turn and a call take is what more of them take more. */
const latency = async (): Promise<Measured> => {
  const one = await timed("one conversation: 1 turn with 10 calls", { turns: 1, calls: 10 })
  const calls = await timed("one conversation: 1 turn with 20 calls", { turns: 1, calls: 20 })
  const turns = await timed("one conversation: 10 turns with 1 call", { turns: 10, calls: 1 })
  const ofCall = (name: string) => (rowOf(calls, name).minimum - rowOf(one, name).minimum) / 10
  const ofTurn = (name: string) => (rowOf(turns, name).minimum - rowOf(one, name).minimum) / 9
  return {
    tables: [
      one,
      calls,
      turns,
      {
        _tag: "Figures",
        title: "what one more costs",
        columns: ["loop", "a turn", `a call, its arguments in ${pieces} pieces`],
        rows: one.rows.map(({ name }) => [name, duration(ofTurn(name)), duration(ofCall(name))])
      }
    ],
    goals: []
  }
}

/** Nobody passes before all are there, and what they hold then has been measured. */
const gateOf = (together: number) => {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  let waiting = 0
  return {
    pass: async () => {
      waiting++
      await isOpen
    },
    allThere: async () => {
      while (waiting < together) await setImmediate()
    },
    open: () => open()
  }
}

const heldBy = async (make: MakeLoop): Promise<readonly [string, string]> => {
  keep(await Promise.all(Array.from({ length: 20 }, () => make(usual).converse())))
  const together = slow.has(make(usual).name) ? few : count
  const gate = gateOf(together)
  const { converse, name } = make(usual, gate.pass)
  const before = await heap()
  const running = Promise.all(Array.from({ length: together }, () => converse()))
  await gate.allThere()
  const held = (await heap()) - before
  gate.open()
  const [outcome] = await running
  if (outcome !== expectedOf(usual)) throw new Error(`${name} comes to ${outcome}`)
  return [name, kilobytes(held / together)]
}

const memory = async (): Promise<Measured> => {
  const rows: Array<readonly [string, string]> = []
  for (const make of loops) rows.push(await heldBy(make))
  return {
    tables: [
      {
        _tag: "Figures",
        title: `heap of ${count} conversations, each after 10 calls and before its last turn`,
        columns: ["loop", "KB a conversation"],
        rows
      }
    ],
    goals: []
  }
}

/** What traces, guards and quotas cost, beside a run that has none. */
const watched = async (): Promise<Measured> => {
  const shape = { turns: 10, calls: 1 }
  const contenders = [wieldRunLoop, wieldIdleLoop, wieldTracedLoop, wieldGuardedLoop].map((make) => {
    const loop = make(shape)
    return batched(loop.name, loop.converse, async (times) => {
      for (let time = 0; time < times; time++) keep(await loop.converse())
    })
  })
  await assertEqual(contenders, expectedOf(shape))
  const samples = await measure(contenders, { rounds: 11, sampleMilliseconds: 15, warmMilliseconds: 400 })
  return {
    tables: [timingTable("one conversation: 10 turns with 1 call, watched", samples, wieldRun)],
    goals: []
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "at-once", measure: thousand },
  { name: "latency", measure: latency },
  { name: "memory", measure: memory },
  { name: "watched", measure: watched }
]
