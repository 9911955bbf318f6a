/** The stream of events: read with the token, resumed after the last event when it breaks. */
import { batch, effect, signal } from "@preact/signals"
import type * as Api from "../../src/Api.js"
import { addressOf, get, headers, isRefused, segment, token } from "./http.js"
import { readServerEvents } from "./serverEvents.js"
import { refresh, refreshAll, type RunList } from "./store.js"

export const isConnected = signal(false)

/** The events of a run that is looked at, in their order, each once. */
export class RunLog {
  readonly events: Array<Api.Event> = []
  readonly run = signal<Api.Run | undefined>(undefined)
  readonly error = signal<string | undefined>(undefined)
  /** Raised when there are more events. */
  readonly version = signal(0)
  #pending: Array<Api.Event> | undefined = []

  constructor(readonly id: string) {}

  get last(): number {
    return this.events.at(-1)?.sequence ?? 0
  }

  /** A live event. While older ones are asked for, it waits for them. */
  receive(event: Api.Event): void {
    if (this.#pending !== undefined) this.#pending.push(event)
    else this.#append(event)
  }

  #append(event: Api.Event): void {
    if (event.sequence > this.last) this.events.push(event)
  }

  async load(): Promise<void> {
    this.#pending ??= []
    try {
      for (let isMore = true; isMore;) {
        const page = await get<{
          readonly run: Api.Run
          readonly events: ReadonlyArray<Api.Event>
          readonly isMore: boolean
        }>(`runs/${segment(this.id)}/events?after=${this.last}`)
        isMore = page.isMore && page.events.length > 0
        for (const event of page.events) this.#append(event)
        batch(() => {
          this.run.value = page.run
          this.error.value = undefined
          this.version.value++
        })
      }
      for (const event of this.#pending) this.#append(event)
      this.#pending = undefined
      this.version.value++
    } catch (cause) {
      this.error.value = cause instanceof Error ? cause.message : String(cause)
    }
  }

  /** The studio has begun again, and with it the sequence. */
  async reload(): Promise<void> {
    this.events.length = 0
    this.#pending = []
    await this.load()
  }
}

/** Those that a page looks at. */
const logs = new Map<string, { readonly log: RunLog; users: number }>()

/** Keep it as long as it is looked at; `leaveRun` ends that. */
export const watchRun = (id: string): RunLog => {
  const watched = logs.get(id)
  if (watched !== undefined) {
    watched.users++
    return watched.log
  }
  const log = new RunLog(id)
  logs.set(id, { log, users: 1 })
  void log.load()
  return log
}

export const leaveRun = (id: string): void => {
  const watched = logs.get(id)
  if (watched !== undefined && --watched.users === 0) logs.delete(id)
}

let last: number | undefined
let epoch: string | undefined
const touched = new Set<RunLog>()
let isListTouched = false
let isFlushing = false

/** Of the events, those that the list of runs shows. */
const listed: ReadonlySet<Api.Event["event"]["_tag"]> = new Set(["RunStarted", "CallFinished", "RunEnded"])

/** Many events come at once: the page shows them together. */
const touch = (event: Api.Event): void => {
  const log = logs.get(event.run)?.log
  if (log !== undefined) {
    log.receive(event)
    touched.add(log)
  }
  isListTouched ||= listed.has(event.event._tag)
  if (isFlushing) return
  isFlushing = true
  setTimeout(() => {
    isFlushing = false
    batch(() => {
      for (const one of touched) one.version.value++
    })
    touched.clear()
    if (isListTouched) refresh("runs")
    isListTouched = false
  }, 16)
}

const reloadLogs = (): void => {
  for (const { log } of logs.values()) void log.reload()
}

/** What a log lacks since it was loaded, or since a load failed, is asked for. */
const completeLogs = (): void => {
  for (const { log } of logs.values()) void log.load()
}

const handle = (event: string, data: unknown): void => {
  switch (event) {
    case "hello": {
      const hello = data as { readonly epoch: string; readonly last: number }
      const isNew = epoch !== undefined && epoch !== hello.epoch
      epoch = hello.epoch
      if (isNew) last = 0
      isConnected.value = true
      if (isNew) reloadLogs()
      else completeLogs()
      return refreshAll()
    }
    case "event": {
      const happened = data as Api.Event
      last = Math.max(last ?? 0, happened.sequence)
      return touch(happened)
    }
    case "gap":
      // Events before it may still come: those of other runs.
      return completeLogs()
    case "changed":
      return refresh((data as { readonly what: Api.Changed }).what)
  }
}

/** Without a sign of life for this long, in milliseconds, the connection is taken for dead: three heartbeats. */
const silence = 45_000

const connectOnce = async (abort: AbortController): Promise<void> => {
  // What was before is asked for when it is looked at.
  last ??= (await get<RunList>("runs")).last
  const address = addressOf("events")
  address.searchParams.set("after", String(last))
  if (epoch !== undefined) address.searchParams.set("epoch", epoch)
  const answer = await fetch(address, { headers: headers(), signal: abort.signal })
  if (answer.status === 401) isRefused.value = true
  if (!answer.ok || answer.body === null) throw new Error(String(answer.status))
  let timer = setTimeout(() => abort.abort(), silence)
  const alive = answer.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer)
        timer = setTimeout(() => abort.abort(), silence)
        controller.enqueue(chunk)
      }
    })
  )
  try {
    for await (const { data, event } of readServerEvents(alive)) handle(event, JSON.parse(data))
  } finally {
    clearTimeout(timer)
  }
}

/** Connects, and connects again for as long as the page is there. */
const stayConnected = async (isOver: AbortSignal): Promise<void> => {
  for (let pause = 250; !isOver.aborted; pause = Math.min(pause * 2, 4000)) {
    const abort = new AbortController()
    const end = () => abort.abort()
    isOver.addEventListener("abort", end)
    try {
      await connectOnce(abort)
      pause = 250
    } catch {
      // The next try shows whether the server is there again.
    }
    isOver.removeEventListener("abort", end)
    if (isConnected.peek()) pause = 250
    isConnected.value = false
    if (isOver.aborted || isRefused.peek()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      addEventListener(
        "online",
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true }
      )
    })
  }
}

/** Connects with each token that is entered. */
export const startLive = (): void => {
  let current: AbortController | undefined
  effect(() => {
    void token.value
    const refused = isRefused.value
    current?.abort()
    if (refused) return
    current = new AbortController()
    void stayConnected(current.signal)
  })
}
