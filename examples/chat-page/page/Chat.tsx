/** @jsxImportSource react */
/** The window of the shop, and the chat beside it. */
import { useChat } from "@ai-sdk/react"
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls
} from "ai"
import { useEffect, useRef, useState } from "react"
import type { Message } from "../shop.js"
import { teas } from "../teas.js"
import { Composer } from "./Composer.js"
import { isWaiting, MessageView } from "./MessageView.js"

const transport = new DefaultChatTransport<Message>({
  api: "/api/chat",
  // The server has the rest of the conversation.
  prepareSendMessagesRequest: ({ body, id, messageId, messages, trigger }) => ({
    body: { ...body, id, trigger, messageId, messages: messages.slice(-1) }
  })
})

export const Chat = ({ id, past }: { readonly id: string; readonly past: Array<Message> }) => {
  const [shown, show] = useState<string>()
  const { addToolApprovalResponse, addToolOutput, error, messages, sendMessage, status } = useChat<Message>({
    id,
    messages: past,
    transport,
    resume: past.length > 0,
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithToolCalls(options) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(options)
  })
  const isBusy = status === "submitted" || status === "streaming"

  // The end of the chat stays in sight, unless the customer looks further up.
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [messages])

  const actions = {
    approve: (request: string) => void addToolApprovalResponse({ id: request, approved: true }),
    deny: (request: string, reason: string) => void addToolApprovalResponse({ id: request, approved: false, reason }),
    /** Approves with changes, and answers questions. */
    reply: (request: string, reply: object) =>
      void sendMessage(undefined, { body: { answers: [{ id: request, reply }] } }),
    showTea: (toolCallId: string, tea: string) => {
      const isKnown = teas.some((one) => one.id === tea)
      if (isKnown) show(tea)
      void addToolOutput({ tool: "show_tea", toolCallId, output: isKnown ? "shown" : "there is no such tea" })
    }
  }

  return (
    <>
      <header>
        <h1>The Tea Shop</h1>
        <a href="/">New chat</a>
      </header>
      <main>
        <section className="window" aria-labelledby="window">
          <h2 id="window">In the window</h2>
          <ul>
            {teas.map((tea) => (
              <li key={tea.id} className={`tea ${tea.id}`} aria-current={shown === tea.id}>
                <strong>{tea.name}</strong> {tea.taste} <span>{tea.price.toFixed(2)} €</span>
              </li>
            ))}
          </ul>
        </section>
        <section className="chat" aria-labelledby="chat">
          <h2 id="chat">Ask us</h2>
          <div
            role="log"
            aria-label="Messages"
            tabIndex={0}
            ref={log}
            onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
              isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
            }}
          >
            {messages.map((message) => (
              <MessageView key={message.id} message={message} isBusy={isBusy} actions={actions} />
            ))}
          </div>
          {error === undefined ? null : <p role="alert">{sentenceOf(error)}</p>}
          <Composer
            isBusy={isBusy}
            isWaiting={isWaiting(messages.at(-1))}
            send={(text) => void sendMessage({ text })}
            stop={() => void fetch(`/api/chat/${id}/stream`, { method: "DELETE" })}
          />
        </section>
      </main>
    </>
  )
}

/** A refusal comes as JSON: `{ error, code }`. */
const sentenceOf = ({ message }: Error): string => {
  try {
    const refusal: { readonly error?: string } = JSON.parse(message)
    return refusal.error ?? message
  } catch {
    return message
  }
}
