/** @jsxImportSource react */
/** Where the customer writes, and stops an answer. */
import { useState } from "react"

const suggestions = [
  "Have you a green tea?",
  "Pack order A1",
  "The receipt of A2, please",
  "Wrap A2 as a gift",
  "Pay back both orders",
  "Tell me a story"
]

export const Composer = (props: {
  readonly isBusy: boolean
  readonly isWaiting: boolean
  readonly send: (text: string) => void
  readonly stop: () => void
}) => {
  const { isBusy, isWaiting, send, stop } = props
  const [text, setText] = useState("")
  const isClosed = isBusy || isWaiting
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (isClosed || text.trim() === "") return
        send(text)
        setText("")
      }}
    >
      <p className="suggestions">
        {suggestions.map((suggestion) => (
          <button key={suggestion} type="button" disabled={isClosed} onClick={() => send(suggestion)}>
            {suggestion}
          </button>
        ))}
      </p>
      <p role="status">{isBusy ? "The shop is writing …" : isWaiting ? "Answer above what waits." : ""}</p>
      <div className="line">
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {isBusy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button className="main" disabled={isClosed}>
            Send
          </button>
        )}
      </div>
    </form>
  )
}
