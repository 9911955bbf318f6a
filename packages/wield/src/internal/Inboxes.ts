/** What is said to runs of agents while they go on in this process. */
import type { InboxMessage } from "@wield/agent/Agent"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

interface Said extends InboxMessage {
  readonly end: (isTaken: boolean) => void
}

/** What is said to one run. */
export class Inbox {
  #waiting: ReadonlyArray<Said> = []

  get messages(): ReadonlyArray<InboxMessage> {
    return this.#waiting
  }

  say(content: InboxMessage["content"]): Promise<boolean> {
    return new Promise((end) => {
      this.#waiting = [...this.#waiting, { id: crypto.randomUUID(), content, end }]
    })
  }

  take(id: string): void {
    this.#waiting.find((said) => said.id === id)?.end(true)
    this.#waiting = this.#waiting.filter((said) => said.id !== id)
  }

  /** The run is over: none takes what still waits. */
  end(): void {
    for (const said of this.#waiting) said.end(false)
    this.#waiting = []
  }
}

/** Those of all runs, by their conversations. */
export class Inboxes {
  readonly #all = new Map<string, ReadonlyArray<Inbox>>()

  open(conversation: string): Effect.Effect<Inbox, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => this.#open(conversation)),
      (inbox) => Effect.sync(() => this.#close(conversation, inbox))
    )
  }

  #open(conversation: string): Inbox {
    const inbox = new Inbox()
    this.#all.set(conversation, [...(this.#all.get(conversation) ?? []), inbox])
    return inbox
  }

  #close(conversation: string, inbox: Inbox): void {
    inbox.end()
    const left = this.#all.get(conversation)?.filter((other) => other !== inbox) ?? []
    if (left.length === 0) this.#all.delete(conversation)
    else this.#all.set(conversation, left)
  }

  /** Runs of a conversation go one after the other: the first one goes on now. */
  async say(conversation: string, content: InboxMessage["content"]): Promise<boolean> {
    return (await this.#all.get(conversation)?.[0]?.say(content)) ?? false
  }
}
