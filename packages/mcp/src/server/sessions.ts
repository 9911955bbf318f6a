/** Sessions of revisions before 2026-07-28: each has a server of its own, and belongs to the principal that began it. */
import {
  type AuthInfo,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import * as Json from "@wield/core/Json"
import { watchEnd } from "../internal/watchEnd.js"
import type { Principal } from "../McpRequest.js"
import type { Core } from "./core.js"
import { connectedServer } from "./engine.js"
import { refuse } from "./guard.js"

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly principal: string | undefined
  lastUsed: number
  /** Requests that are being answered now. */
  active: number
  /** Their ids, as JSON: the SDK gives the answers to two of one id to one of them, and the other waits without end. */
  readonly ids: Set<string>
}

export interface SessionLimits {
  /** Of one principal. */
  readonly max: number
  /** In milliseconds. */
  readonly idle: number
}

export class Sessions {
  readonly #open = new Map<string, Session>()
  readonly #events: Together = { sessions: new Set(), length: 0 }
  readonly #sweeper: ReturnType<typeof setInterval>

  constructor(
    private readonly core: Core,
    private readonly limits: SessionLimits
  ) {
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(limits.idle, 60_000))
    // A server that waits for nothing else may end.
    if (typeof this.#sweeper === "object") this.#sweeper.unref()
  }

  get size(): number {
    return this.#open.size
  }

  async handle(
    request: Request,
    body: unknown,
    principal: Principal | undefined,
    authInfo: AuthInfo | undefined
  ): Promise<Response> {
    const options = { parsedBody: body, ...(authInfo === undefined ? {} : { authInfo }) }
    const id = request.headers.get("mcp-session-id")
    if (id !== null) {
      const session = this.#open.get(id)
      // A stolen id is worth nothing to another principal, who learns nothing of it.
      if (session === undefined || session.principal !== principal?.id) {
        return refuse(404, "Session not found", -32001)
      }
      const ids = idsOf(body)
      if (new Set([...session.ids, ...ids]).size < session.ids.size + ids.length) {
        return refuse(400, "Another request of this id is being answered", -32600)
      }
      return this.#answer(session, ids, () => session.transport.handleRequest(request, options))
    }
    if (!isInitializeRequest(body)) return refuse(400, "Bad Request: the Mcp-Session-Id header is missing")
    // What a client says of itself is kept as long as its session.
    if (JSON.stringify(body).length > longestHello) return refuse(413, "The initialize request is too large")
    if (!this.#makeRoom(principal?.id)) {
      return refuse(503, "Too many sessions are open", -32000, { "Retry-After": "60" })
    }
    const events = new Events(this.#events)
    const session: Session = {
      transport: new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (opened) => {
          this.#open.set(opened, session)
        },
        eventStore: events,
        retryInterval: 1000
      }),
      principal: principal?.id,
      lastUsed: Date.now(),
      active: 0,
      ids: new Set()
    }
    const { transport } = session
    const sdk = connectedServer(this.core, "http")
    const closed = sdk.server.onclose
    sdk.server.onclose = () => {
      events.forget()
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId)
      closed?.()
    }
    await sdk.connect(transport)
    try {
      return await this.#answer(session, [], () => transport.handleRequest(request, options))
    } finally {
      // What was refused, such as for its headers, has begun no session.
      if (transport.sessionId === undefined || this.#open.get(transport.sessionId) !== session) await sdk.close()
    }
  }

  async #answer(session: Session, ids: ReadonlyArray<string>, handle: () => Promise<Response>): Promise<Response> {
    session.active++
    session.lastUsed = Date.now()
    for (const id of ids) session.ids.add(id)
    const end = () => {
      session.active--
      session.lastUsed = Date.now()
      for (const id of ids) session.ids.delete(id)
    }
    try {
      const response = await handle()
      // What only listens is not being answered.
      if (ids.length > 0 && response.body !== null) return watchEnd(response, end)
      end()
      return response
    } catch (error) {
      end()
      throw error
    }
  }

  #sweep(): void {
    const since = Date.now() - this.limits.idle
    for (const session of this.#open.values()) {
      if (session.active === 0 && session.lastUsed < since) void session.transport.close()
    }
  }

  /**
   * Whether a principal may begin another session. Where it has too many, its own one that was used longest ago gives
   * way, if it was not used for a minute.
   */
  #makeRoom(principal: string | undefined): boolean {
    const own = [...this.#open.values()].filter((session) => session.principal === principal)
    if (own.length < this.limits.max) return true
    const [oldest] = own
      .filter(({ active, lastUsed }) => active === 0 && lastUsed <= Date.now() - 60_000)
      .sort((left, right) => left.lastUsed - right.lastUsed)
    void oldest?.transport.close()
    return oldest !== undefined
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.allSettled([...this.#open.values()].map(({ transport }) => transport.close()))
    this.#open.clear()
  }
}

/** Of the requests in a message, or in a list of them. */
const idsOf = (body: unknown): ReadonlyArray<string> =>
  (Array.isArray(body) ? body : [body]).flatMap((one) =>
    Json.isObject(one) && "method" in one && one["id"] !== undefined ? [JSON.stringify(one["id"])] : []
  )

/** In characters. It may have icons of the client. */
const longestHello = 100_000

/** Of one session, whose last event is kept, however long it is. */
const kept = { events: 100, characters: 4_000_000 }

/** Of all sessions: those with no event for the longest lose theirs first. */
const keptTogether = 64_000_000

export interface Together {
  /** In the order of their last events. */
  readonly sessions: Set<Events>
  /** In characters. */
  length: number
}

/** The events of a session's streams, for a client that lost one and comes back: as many of the last as are kept. */
export class Events {
  readonly #kept = new Map<string, { readonly stream: string; readonly text: string }>()
  #next = 0
  #length = 0

  constructor(private readonly together: Together) {}

  async storeEvent(stream: string, message: unknown): Promise<string> {
    const id = `${stream}_${this.#next++}`
    // As text, a message of many small parts takes no more than its characters.
    const text = JSON.stringify(message)
    this.#kept.set(id, { stream, text })
    this.#grow(text.length)
    for (const [oldest, event] of this.#kept) {
      if (oldest === id || (this.#kept.size <= kept.events && this.#length <= kept.characters)) break
      // Who has lost the last event names the one that its stream began with.
      if (event.stream === stream && event.text === "{}") continue
      this.#kept.delete(oldest)
      this.#grow(-event.text.length)
    }
    const { sessions } = this.together
    sessions.delete(this)
    sessions.add(this)
    for (const idle of sessions) {
      if (idle === this || this.together.length <= keptTogether) break
      idle.forget()
    }
    return id
  }

  forget(): void {
    this.#kept.clear()
    this.#grow(-this.#length)
    this.together.sessions.delete(this)
  }

  #grow(by: number): void {
    this.#length += by
    this.together.length += by
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#kept.get(id)?.stream
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: never) => Promise<void> }
  ): Promise<string> {
    const stream = this.#kept.get(last)?.stream ?? ""
    let isAfter = false
    for (const [id, event] of this.#kept) {
      // The SDK gives its own messages and takes the same back; one to begin with is empty.
      if (isAfter && event.stream === stream && event.text !== "{}") await send(id, JSON.parse(event.text) as never)
      if (id === last) isAfter = true
    }
    return stream
  }
}
