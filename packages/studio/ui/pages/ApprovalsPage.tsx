/** Calls that wait for a person or a client. */
import { useEffect, useState } from "preact/hooks"
import { Emptiness } from "../parts/Controls.js"
import { ApprovalCard } from "../parts/ApprovalCard.js"
import { chosen } from "../state/route.js"
import { approvals } from "../state/store.js"

export const ApprovalsPage = () => {
  const list = approvals.use()?.approvals
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="page">
      <div class="column">
        <h1>Approvals</h1>
        {list === undefined || list.length === 0 ? (
          <Emptiness isLoading={list === undefined} error={approvals.error.value}>
            Nothing waits. A call that asks for approval appears here.
          </Emptiness>
        ) : (
          list.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} now={now} isChosen={approval.id === chosen.value} />
          ))
        )}
      </div>
    </div>
  )
}
