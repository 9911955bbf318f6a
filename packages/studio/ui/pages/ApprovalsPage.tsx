/** Calls that wait for a person or a client, and what was answered. */
import { DecisionCard } from "../parts/ApprovalCard.js"
import { Emptiness } from "../parts/Controls.js"
import { count } from "../parts/time.js"
import { useWaiting, WaitingCards } from "../parts/Waiting.js"
import { approvals } from "../state/store.js"

export const ApprovalsPage = () => {
  const { before, list, seen } = useWaiting()
  return (
    <div class="page">
      <h1>Approvals</h1>
      <div class="beside">
        <div class="stack">
          {list === undefined || list.length === 0 ? (
            <Emptiness isLoading={list === undefined} error={approvals.error.value}>
              Nothing waits. A call that asks for approval appears here.
            </Emptiness>
          ) : (
            <p class="quiet">{count(list.length, "call waits", "calls wait")} for an answer.</p>
          )}
          <WaitingCards list={list} seen={seen} />
        </div>
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
