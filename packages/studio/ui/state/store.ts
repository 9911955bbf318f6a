/** What the page knows: lists that the server has, asked for again when it says that they have changed. */
import { batch, effect, type Signal, signal } from "@preact/signals"
import type * as Api from "../../src/Api.js"
import { get, RequestError, segment } from "./http.js"

export class Resource<A> {
  readonly value = signal<A | undefined>(undefined)
  readonly error = signal<string | undefined>(undefined)
  #isUsed = false
  #isStale = false
  #loading: Promise<void> | undefined

  constructor(readonly path: () => string) {}

  /** Asks once, and again whenever the server says so. */
  use(): A | undefined {
    if (!this.#isUsed) {
      this.#isUsed = true
      queueMicrotask(() => this.load())
    }
    return this.value.value
  }

  /** Changes that come faster than answers share the next request. */
  load(): Promise<void> {
    this.#isUsed = true
    this.#isStale = true
    this.#loading ??= this.#loadWhileStale().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #loadWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const path = this.path()
      try {
        const value = await get<A>(path)
        if (path !== this.path()) continue
        batch(() => {
          this.value.value = value
          this.error.value = undefined
        })
      } catch (cause) {
        this.error.value = messageOf(cause)
      }
    }
  }

  reload(): void {
    if (this.#isUsed) void this.load()
  }
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** What a refusal says of each field, by the field's JSON pointer. */
export const issuesOf = (cause: unknown): ReadonlyArray<Api.Issue> => {
  const body =
    cause instanceof RequestError ? (cause.body as { readonly issues?: ReadonlyArray<Api.Issue> }) : undefined
  return body?.issues ?? []
}

/** The conversation whose active tools the pages of tools and toolsets show. */
export const conversation = signal<string | undefined>(undefined)

const ofConversation = (path: string) => (): string =>
  conversation.value === undefined ? path : `${path}?conversation=${segment(conversation.value)}`

export const query = signal("")

export interface RunList {
  readonly runs: ReadonlyArray<Api.Run>
  /** The last sequence number. */
  readonly last: number
}

export interface ConversationList {
  readonly conversations: ReadonlyArray<Api.Conversation>
  readonly next?: string
}

export const about = new Resource<Api.About>(() => "about")
export const problems = new Resource<{ readonly problems: ReadonlyArray<Api.Problem> }>(() => "problems")
export const tools = new Resource<{ readonly tools: ReadonlyArray<Api.Tool> }>(ofConversation("tools"))
export const toolsets = new Resource<Api.Toolsets>(ofConversation("toolsets"))
export const runs = new Resource<RunList>(() => "runs")
export const approvals = new Resource<{ readonly approvals: ReadonlyArray<Api.Approval> }>(() => "approvals")
export const decisions = new Resource<{ readonly decisions: ReadonlyArray<Api.Decision> }>(() => "decisions")
export const sessions = new Resource<{ readonly sessions: ReadonlyArray<Api.Session> }>(() => "playground")
export const conversations = new Resource<ConversationList>(() =>
  query.value === "" ? "conversations" : `conversations?query=${segment(query.value)}`
)

const lists: { readonly [What in Api.Changed]: ReadonlyArray<{ readonly reload: () => void }> } = {
  tools: [tools, toolsets],
  toolsets: [toolsets, tools],
  runs: [runs, decisions],
  approvals: [approvals, decisions],
  conversations: [conversations],
  playground: [sessions],
  problems: [problems]
}

/** Raised with each change, for what shows one thing of a list. */
export const versions: { readonly [What in Api.Changed]: Signal<number> } = {
  tools: signal(0),
  toolsets: signal(0),
  runs: signal(0),
  approvals: signal(0),
  conversations: signal(0),
  playground: signal(0),
  problems: signal(0)
}

export const refresh = (what: Api.Changed): void => {
  for (const list of lists[what]) list.reload()
  versions[what].value = versions[what].peek() + 1
}

export const refreshAll = (): void => {
  about.reload()
  for (const what of Object.keys(lists) as Array<Api.Changed>) refresh(what)
}

effect(() => {
  void conversation.value
  tools.reload()
  toolsets.reload()
})
effect(() => {
  void query.value
  conversations.reload()
})

export const isReadOnly = (): boolean => about.value.value?.isReadOnly ?? true

/** A call to begin with: of a tool by hand, or as what a scripted model says. */
export interface Template {
  readonly tool: string
  readonly arguments: unknown
}

/** Taken over from a run by the page of the tool, or by the playground; gone when that was seen. */
export const template = signal<Template | undefined>(undefined)

/** Words for a live region: what happened without the user's doing. */
export const announcement = signal("")
