/** @jsxImportSource react */
/** A call: its name, how it stands, its input and its result. */
import { useEffect, useRef } from "react"
import type { Message } from "../shop.js"

export type CallPart = Extract<Message["parts"][number], { readonly type: `tool-${string}` }>

const states: { readonly [State in CallPart["state"]]: string } = {
  "input-streaming": "is called",
  "input-available": "runs",
  "approval-requested": "asks",
  "approval-responded": "is answered",
  "output-available": "done",
  "output-error": "not done",
  "output-denied": "denied"
}

export const Call = ({
  part,
  showTea
}: {
  readonly part: CallPart
  readonly showTea: (toolCallId: string, tea: string) => void
}) => {
  const isShown = useRef(false)
  // Here and not in `onToolCall`: a page that is loaded again while the call waits runs it, too.
  useEffect(() => {
    if (part.type !== "tool-show_tea" || part.state !== "input-available" || isShown.current) return
    isShown.current = true
    showTea(part.toolCallId, part.input.id)
  })
  return (
    <details className={`call ${part.state}`}>
      <summary>
        <code>{part.type.slice("tool-".length)}</code> {states[part.state]}
      </summary>
      <Json label="Input" value={part.input} />
      {part.state === "output-available" ? <Json label="Result" value={part.output} /> : null}
      {part.state === "output-error" ? <Json label="Why not" value={part.errorText} /> : null}
      {part.state === "output-denied" ? <Json label="Why not" value={part.approval.reason ?? "denied"} /> : null}
    </details>
  )
}

const Json = ({ label, value }: { readonly label: string; readonly value: unknown }) => (
  <p>
    {label}: <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
  </p>
)
