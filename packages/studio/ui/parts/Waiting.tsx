/** The calls that wait; one that is answered leaves its answer in its place. */
import { useRef } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { chosen } from "../state/route.js"
import { approvals, decisions } from "../state/store.js"
import { ApprovalCard, DecisionCard } from "./ApprovalCard.js"

export interface Waiting {
  readonly list: ReadonlyArray<Api.Approval> | undefined
  /** Ids of what has waited since the page was opened. */
  readonly seen: ReadonlySet<string>
  /** What was answered before that, the newest first. */
  readonly before: ReadonlyArray<Api.Decision>
}

export const useWaiting = (): Waiting => {
  const list = approvals.use()?.approvals
  const seen = useRef(new Set<string>()).current
  for (const { id } of list ?? []) seen.add(id)
  return { list, seen, before: (decisions.use()?.decisions ?? []).filter(({ id }) => !seen.has(id)) }
}

/** Of those that still wait, at most so many. */
export const WaitingCards = ({
  list = [],
  most = Infinity,
  seen
}: Pick<Waiting, "list" | "seen"> & { readonly most?: number }) => {
  const answered = decisions.use()?.decisions ?? []
  const shown = new Map(list.slice(0, most).map((approval) => [approval.id, approval]))
  return (
    <>
      {[...seen].map((id) => {
        const approval = shown.get(id)
        if (approval !== undefined) return <ApprovalCard key={id} approval={approval} isChosen={id === chosen.value} />
        const decision = answered.find((one) => one.id === id)
        return decision === undefined ? null : <DecisionCard key={id} decision={decision} />
      })}
    </>
  )
}
