/** A run's events as a tree: turns, what the model wrote and called in them, and the stages of each call. */
import type * as Api from "../../src/Api.js"

export interface Stage {
  readonly at: number
  readonly title: string
  /** Of a stage of the runner; the others are moments. */
  readonly endedAt?: number
  /** A stage that the call has waited in: replaced by its times when the call ends. */
  readonly isWait?: boolean
  readonly value?: unknown
}

export interface Span {
  readonly at: number
  endedAt?: number
}

export interface CallNode {
  readonly kind: "call"
  readonly id: string
  readonly name: string
  readonly at: number
  endedAt?: number
  /** Text while it is streamed, then what the call has. */
  arguments: unknown
  outcome?: Api.Outcome
  /** When it has waited for a person or a client; without an end it still did as the run ended. */
  readonly waits: Array<Span>
  answer?: { readonly at: number } & Extract<Api.Happening, { readonly _tag: "CallAnswered" }>
  stages: Array<Stage>
  /** What a sub-agent or a program does within the call. */
  inner: ReadonlyArray<Node>
}

export interface TextNode {
  readonly kind: "text"
  readonly of: "Text" | "Reasoning" | "Refusal"
  readonly at: number
  endedAt: number
  text: string
}

export interface TurnNode {
  readonly kind: "turn"
  readonly step: number
  readonly entry: string
  readonly model: string
  readonly at: number
  endedAt?: number
  finish?: string
  usage?: Api.Usage
  readonly children: Array<CallNode | TextNode | NoteNode>
}

export interface NoteNode {
  readonly kind: "note"
  readonly at: number
  readonly title: string
  readonly text?: string
  readonly isError: boolean
}

export type Node = TurnNode | CallNode | TextNode | NoteNode

export interface Tree {
  readonly nodes: Array<Node>
  readonly startedAt: number
  prompt?: string
}

export const renderUsage = ({ input, output }: Api.Usage): string =>
  [input === undefined ? [] : [`${input} in`], output === undefined ? [] : [`${output} out`]].flat().join(", ")

/** Whether a call's progress is an event of a run within it. */
const isHappening = (value: unknown): value is Api.Happening =>
  typeof value === "object" && value !== null && inRuns.has(String(Reflect.get(value, "_tag")))

const inRuns = new Set([
  "TurnStarted",
  "TextDelta",
  "ReasoningDelta",
  "RefusalDelta",
  "CallAnnounced",
  "ArgumentsDelta",
  "CallStarted",
  "CallProgress",
  "CallFinished",
  "TurnBroken",
  "TurnFinished"
])

type Happened = Pick<Api.Event, "at" | "event">

export const makeTree = (events: ReadonlyArray<Happened>): Tree => {
  const tree: Tree = { nodes: [], startedAt: events[0]?.at ?? 0 }
  const calls = new Map<string, CallNode>()
  const within = new Map<CallNode, Array<Happened>>()
  /** Of the turn that is streamed: calls by their index. */
  let announced: Array<CallNode> = []
  let turn: TurnNode | undefined
  const add = (node: CallNode | TextNode | NoteNode): void => void (turn?.children ?? tree.nodes).push(node)
  const callOf = (at: number, { id, name }: { readonly id: string; readonly name: string }): CallNode => {
    const known = calls.get(id)
    if (known !== undefined) return known
    const node: CallNode = { kind: "call", id, name, at, arguments: undefined, waits: [], stages: [], inner: [] }
    calls.set(id, node)
    add(node)
    return node
  }
  const endWait = (call: CallNode, at: number): void => {
    const wait = call.waits.at(-1)
    if (wait !== undefined) wait.endedAt ??= at
  }
  const write = (of: TextNode["of"], at: number, text: string): void => {
    const lastNode = (turn?.children ?? tree.nodes).at(-1)
    if (lastNode?.kind === "text" && lastNode.of === of) {
      lastNode.text += text
      lastNode.endedAt = at
    } else add({ kind: "text", of, at, endedAt: at, text })
  }
  for (const { at, event } of events) {
    switch (event._tag) {
      case "RunStarted":
        if (event.prompt !== undefined) tree.prompt = event.prompt
        break
      case "TurnStarted":
        turn = { kind: "turn", step: event.step, entry: event.entry, model: event.model, at, children: [] }
        announced = []
        tree.nodes.push(turn)
        break
      case "TextDelta":
        write("Text", at, event.text)
        break
      case "ReasoningDelta":
        write("Reasoning", at, event.text)
        break
      case "RefusalDelta":
        write("Refusal", at, event.text)
        break
      case "CallAnnounced": {
        const call = callOf(at, event)
        announced[event.index] = call
        call.stages.push({ at, title: "announced" })
        break
      }
      case "ArgumentsDelta": {
        const call = announced[event.index]
        if (call !== undefined)
          call.arguments = `${typeof call.arguments === "string" ? call.arguments : ""}${event.text}`
        break
      }
      case "CallStarted": {
        const call = callOf(at, event.call)
        call.arguments = event.call.arguments ?? call.arguments
        endWait(call, at)
        call.stages.push({ at, title: "started" })
        break
      }
      case "CallProgress": {
        const call = callOf(at, event.call)
        if (isHappening(event.value)) {
          const inner = within.get(call) ?? []
          inner.push({ at, event: event.value })
          within.set(call, inner)
        } else call.stages.push({ at, title: "progress", value: event.value })
        break
      }
      case "CallWaits": {
        const { stages } = callOf(at, event.call)
        stages.push({ at: at - event.milliseconds, title: `waits in ${event.stage}`, isWait: true })
        break
      }
      case "CallFinished": {
        const call = callOf(at, event.call)
        call.arguments = event.call.arguments ?? call.arguments
        call.outcome = event.outcome
        call.endedAt = at
        call.stages = call.stages.filter(({ isWait }) => isWait !== true)
        let began = at - (event.stages ?? []).reduce((sum, { milliseconds }) => sum + milliseconds, 0)
        for (const { milliseconds, stage } of event.stages ?? []) {
          call.stages.push({ at: began, endedAt: (began += milliseconds), title: stage })
        }
        call.stages.push({ at, title: event.outcome._tag })
        endWait(call, at)
        if (event.outcome._tag === "Deferred") call.waits.push({ at })
        break
      }
      case "CallAnswered": {
        const { _tag, ...answer } = event
        const call = callOf(at, event.call)
        call.arguments ??= event.call.arguments
        call.answer = { _tag, at, ...answer }
        endWait(call, at)
        break
      }
      case "TurnBroken":
        add({
          kind: "note",
          at,
          title: event.isRetried ? "The response broke off, and is asked for again" : "The response broke off",
          text: event.message,
          isError: true
        })
        break
      case "TurnFinished":
        if (turn !== undefined) {
          turn.endedAt = at
          if (event.finish !== undefined) turn.finish = event.finish
          if (event.usage !== undefined) turn.usage = event.usage
        }
        turn = undefined
        break
      case "MessageTaken":
      case "UsageKnown":
        break
      case "Journal": {
        const call = calls.get(event.call)
        const title =
          event.known === undefined ? `journal: ${event.action}` : `journal: ${event.action}, ${event.known}`
        if (call !== undefined) call.stages.push({ at, title })
        break
      }
      case "RunEnded": {
        turn = undefined
        const isError = event.result === "Failed" || event.result === "Interrupted"
        const text = event.message ?? event.text
        add({ kind: "note", at, title: event.result, ...(text === undefined ? {} : { text }), isError })
        break
      }
    }
  }
  for (const [call, inner] of within) call.inner = makeTree(inner).nodes
  return tree
}

/** What a row of the tree is called. */
export const titleOf = (node: Node | Stage): string => {
  if (!("kind" in node)) return node.title
  switch (node.kind) {
    case "turn":
      return `Turn ${node.step} · ${node.model}`
    case "call":
      return node.name
    case "text":
      return `${node.of === "Text" ? "" : `${node.of}: `}${node.text.slice(0, 200).replaceAll(/\s+/g, " ")}`
    case "note":
      return node.text === undefined || node.text === "" ? node.title : `${node.title}: ${node.text.slice(0, 200)}`
  }
}
