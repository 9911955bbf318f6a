/** @jsxImportSource react */
/** A message: its text, calls, progress, pictures and questions. */
import type { Message } from "../shop.js"
import { Approval } from "./Approval.js"
import { Call, type CallPart } from "./Call.js"
import { Question } from "./Question.js"

export interface Actions {
  readonly approve: (request: string) => void
  readonly deny: (request: string, reason: string) => void
  readonly reply: (request: string, reply: object) => void
  readonly showTea: (toolCallId: string, tea: string) => void
}

const callOf = (message: Message, toolCallId: string): CallPart | undefined =>
  message.parts.find((part): part is CallPart => "toolCallId" in part && part.toolCallId === toolCallId)

const isOpen = (message: Message, toolCallId: string): boolean =>
  callOf(message, toolCallId)?.state === "input-available"

/** Whether the customer has to answer something before the chat goes on. */
export const isWaiting = (message: Message | undefined): boolean =>
  message?.parts.some((part) =>
    part.type === "data-request"
      ? isOpen(message, part.data.toolCallId)
      : "toolCallId" in part && part.state === "approval-requested"
  ) === true

export const MessageView = (props: {
  readonly message: Message
  readonly isBusy: boolean
  readonly actions: Actions
}) => {
  const { actions, isBusy, message } = props
  return (
    <article className={message.role} aria-label={message.role === "user" ? "You" : "The shop"}>
      {message.parts.map((part, index) => {
        switch (part.type) {
          case "text":
            return <p key={index}>{part.text}</p>
          case "file":
            return <img key={index} src={part.url} alt="Drawn by the shop" />
          case "data-progress":
            return isOpen(message, part.data.toolCallId) ? <Progress key={index} value={part.data.value} /> : null
          case "data-request":
            return isOpen(message, part.data.toolCallId) ? (
              <Question key={part.data.id} request={part.data} isBusy={isBusy} reply={actions.reply} />
            ) : null
          case "tool-refund":
            return part.state === "approval-requested" ? (
              <Approval key={part.toolCallId} part={part} isBusy={isBusy} actions={actions} />
            ) : (
              <Call key={part.toolCallId} part={part} showTea={actions.showTea} />
            )
          case "tool-find_tea":
          case "tool-show_tea":
          case "tool-pack_order":
          case "tool-receipt":
          case "tool-wrap_gift":
            return <Call key={part.toolCallId} part={part} showTea={actions.showTea} />
          default:
            return null
        }
      })}
    </article>
  )
}

/** What `pack_order` reports. */
const Progress = ({ value }: { readonly value: unknown }) => {
  // Only that tool reports, and this is what it says.
  const { done, of, step } = value as { readonly done: number; readonly of: number; readonly step: string }
  return (
    <label className="progress">
      Packing: {step} <progress value={done} max={of} />
    </label>
  )
}
