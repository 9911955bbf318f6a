/** Pages of each version of the AI SDK, without their drawing: the classes that `useChat` is made of. */
import * as ai7 from "ai"
import * as ai6 from "ai-6"
import * as ai5 from "ai-5"

/** What the versions have in common. */
export interface Part {
  readonly type: string
  readonly text?: string
  readonly state?: string
  readonly toolCallId?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: { readonly id: string }
  readonly data?: unknown
  readonly mediaType?: string
  readonly url?: string
}

export interface Message {
  readonly id: string
  readonly role: string
  readonly metadata?: unknown
  readonly parts: ReadonlyArray<Part>
}

export interface Page {
  readonly messages: ReadonlyArray<Message>
  readonly status: string
  readonly error: Error | undefined
  sendMessage(message?: unknown, options?: { readonly body?: object }): Promise<void>
  regenerate(options?: { readonly messageId?: string }): Promise<void>
  resumeStream(): Promise<void>
  stop(): Promise<void>
  addToolApprovalResponse(response: {
    readonly id: string
    readonly approved: boolean
    readonly reason?: string
  }): unknown
  addToolOutput(output: object): Promise<void>
}

export const versions = { 5: ai5, 6: ai6, 7: ai7 }
export type Version = keyof typeof versions

class State {
  status = "ready"
  error: Error | undefined = undefined
  messages: Array<unknown>
  constructor(messages: ReadonlyArray<unknown>) {
    this.messages = structuredClone([...messages])
  }
  pushMessage = (message: unknown) => {
    this.messages = [...this.messages, message]
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: unknown) => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

export interface PageOptions {
  readonly url: string
  readonly id: string
  readonly user?: string
  readonly version?: Version
  readonly messages?: ReadonlyArray<unknown>
  /** Runs a client tool. */
  readonly onToolCall?: (call: {
    readonly toolCall: { readonly toolName: string; readonly toolCallId: string }
  }) => void
}

/** A page as `useChat` makes it: it sends answers by itself when all are there. */
export const openPage = ({ id, messages = [], onToolCall, url, user = "ada", version = 7 }: PageOptions): Page => {
  const sdk = versions[version] as unknown as typeof ai7
  class Chat extends (sdk.AbstractChat as unknown as new (options: object) => object) {}
  const isAnswered = (options: { readonly messages: Array<never> }): boolean =>
    sdk.lastAssistantMessageIsCompleteWithToolCalls(options) ||
    (version > 5 && sdk.lastAssistantMessageIsCompleteWithApprovalResponses(options))
  return new Chat({
    id,
    state: new State(messages),
    transport: new sdk.DefaultChatTransport({ api: `${url}/api/chat`, headers: { "x-user": user } }),
    sendAutomaticallyWhen: isAnswered,
    onToolCall
  }) as Page
}

/** Waits until the page shows what is looked for. */
export const until = async (page: Page, holds: () => boolean): Promise<void> => {
  while (!holds()) {
    if (page.status === "error") throw page.error ?? new Error("the page has an error")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const callsOf = (page: { readonly messages: ReadonlyArray<Message> }): ReadonlyArray<Part> =>
  page.messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith("tool-")))

export const wordsOf = (page: { readonly messages: ReadonlyArray<Message> }): ReadonlyArray<string> =>
  page.messages.flatMap(({ parts }) => parts.flatMap(({ text, type }) => (type === "text" ? [text ?? ""] : [])))
