/** A page in a real browser, of each protocol, for a test to act on as `window.chat`. */
import { HttpAgent } from "@ag-ui/client"
import { callsOf, type Message, openPage, type Version, wordsOf } from "./page.js"

export interface Actions {
  /** Draws what the conversation has, and begins to read what goes on. */
  readonly open: () => Promise<void>
  readonly say: (text: string) => Promise<void>
  readonly approve: () => Promise<void>
  readonly words: () => ReadonlyArray<string>
  /** Whether a call waits for an approval. */
  readonly isAsked: () => boolean
}

const headers = { "x-user": "ada" }

const ofSdk = (version: Version): Actions => {
  let page = openPage({ url: location.origin, id: "chat 1", version })
  return {
    open: async () => {
      const response = await fetch("/api/chat/chat%201", { headers })
      const { messages } = (await response.json()) as { readonly messages: ReadonlyArray<Message> }
      page = openPage({ url: location.origin, id: "chat 1", version, messages })
      void page.resumeStream()
    },
    say: (text) => page.sendMessage({ text }),
    approve: async () => {
      if (version > 5) {
        await page.addToolApprovalResponse({ id: callsOf(page)[0]?.approval?.id ?? "", approved: true })
        return
      }
      const request = page.messages.flatMap(({ parts }) => parts).findLast(({ type }) => type === "data-request")?.data
      const { id } = request as { readonly id: string }
      await page.sendMessage(undefined, { body: { answers: [{ id, reply: "approve" }] } })
    },
    words: () => wordsOf(page),
    isAsked: () =>
      page.messages.some(({ parts }) =>
        parts.some(({ state, type }) => state === "approval-requested" || type === "data-request")
      )
  }
}

const ofAgUi = (): Actions => {
  const agent = new HttpAgent({ url: `${location.origin}/agent`, threadId: "chat 1", headers })
  const read = async (input: Parameters<HttpAgent["runAgent"]>[0] = {}) => {
    await agent.runAgent(input)
  }
  return {
    open: async () => void read(),
    say: (content) => {
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content })
      return read()
    },
    approve: () =>
      read({
        resume: [{ interruptId: agent.pendingInterrupts[0]?.id ?? "", status: "resolved", payload: { approved: true } }]
      }),
    words: () =>
      agent.messages.flatMap(({ content, role }) =>
        role !== "tool" && typeof content === "string" && content !== "" ? [content] : []
      ),
    isAsked: () => agent.pendingInterrupts.length > 0
  }
}

const kind = new URLSearchParams(location.search).get("kind") ?? ""

Object.assign(window, { chat: kind === "AG-UI" ? ofAgUi() : ofSdk(Number(kind) as Version) })
