/** @jsxImportSource react */
/** A refund that asks: the customer agrees, changes the amount, or says no, and why. */
import { useId, useState } from "react"
import type { CallPart } from "./Call.js"
import type { Actions } from "./MessageView.js"

type Asking = Extract<CallPart, { readonly type: "tool-refund"; readonly state: "approval-requested" }>

export const Approval = ({
  actions,
  isBusy,
  part
}: {
  readonly part: Asking
  readonly isBusy: boolean
  readonly actions: Actions
}) => {
  const { approval, input } = part
  const title = useId()
  const [amount, setAmount] = useState(String(input.amount))
  const [reason, setReason] = useState("")
  const isChanged = Number(amount) !== input.amount
  return (
    <form
      className="asks"
      aria-labelledby={title}
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) actions.reply(approval.id, { approve: { ...input, amount: Number(amount) } })
        else actions.approve(approval.id)
      }}
    >
      <h3 id={title}>Pay back {input.order}?</h3>
      {approval.requestReason === undefined ? null : <p>{approval.requestReason}.</p>}
      <div className="line">
        <label>
          Amount in €
          <input
            type="number"
            min="0.01"
            step="0.01"
            required
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        </label>
        <label>
          Reason to say no
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      </div>
      <p>
        <button className="main" disabled={isBusy}>
          {isChanged ? "Approve with changes" : "Approve"}
        </button>
        <button type="button" disabled={isBusy} onClick={() => actions.deny(approval.id, reason)}>
          Deny
        </button>
      </p>
    </form>
  )
}
