/** Calls that wait for a person or a client, and what was answered. */
import { useRef } from "preact/hooks"
import { ApprovalCard, DecisionCard } from "../parts/ApprovalCard.js"
import { Emptiness } from "../parts/Controls.js"
import { count } from "../parts/time.js"
import { chosen } from "../state/route.js"
import { approvals, decisions } from "../state/store.js"

export const ApprovalsPage = () => {
  const list = approvals.use()?.approvals
  const answered = decisions.use()?.decisions ?? []
  /** What has waited since the page was opened: its place stays when it is answered. */
  const seen = useRef(new Set<string>()).current
  for (const { id } of list ?? []) seen.add(id)
  const before = answered.filter(({ id }) => !seen.has(id))
  return (
    <div class="page">
      <div class="column">
        <h1>Approvals</h1>
        {list === undefined || list.length === 0 ? (
          <Emptiness isLoading={list === undefined} error={approvals.error.value}>
            Nothing waits. A call that asks for approval appears here.
          </Emptiness>
        ) : (
          <p class="quiet">{count(list.length, "call waits", "calls wait")} for an answer.</p>
        )}
        {[...seen].map((id) => {
          const approval = list?.find((one) => one.id === id)
          if (approval !== undefined) {
            return <ApprovalCard key={id} approval={approval} isChosen={id === chosen.value} />
          }
          const decision = answered.find((one) => one.id === id)
          return decision === undefined ? null : <DecisionCard key={id} decision={decision} />
        })}
        {before.length > 0 && (
          <section class="stack" aria-label="Answered before">
            <h2>Answered before</h2>
            {before.slice(0, 50).map((decision) => (
              <DecisionCard key={decision.id} decision={decision} isInSection />
            ))}
          </section>
        )}
      </div>
    </div>
  )
}
