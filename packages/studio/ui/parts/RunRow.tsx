/** A run in a list, and the one word for its state. */
import type * as Api from "../../src/Api.js"
import { approvals, decisions } from "../state/store.js"
import { Ago } from "./Ago.js"
import { StateTag } from "./OutcomeView.js"
import { Text } from "./Text.js"
import { count } from "./time.js"
import { type State, stateOfRun, titleOfRun, waitOf } from "./words.js"

export const stateNow = (run: Api.Run) =>
  stateOfRun(run, approvals.use()?.approvals ?? [], decisions.use()?.decisions ?? [])

/** A run in two lines: what it was about and how it stands; whose, when, and how much it was or why it waits. */
export const RunRow = ({
  run,
  state = stateNow(run)
}: {
  readonly run: Api.Run
  readonly state?: State | undefined
}) => {
  const why = waitOf(run, approvals.use()?.approvals ?? [])?.why
  return (
    <>
      <span class="name spread">
        <Text>{titleOfRun(run)}</Text>
        <StateTag state={state} />
      </span>
      <span class="quiet small">
        {run.title !== undefined && run.kind !== "calls" && (
          <>
            <Text>{run.name}</Text> ·{" "}
          </>
        )}
        <Ago at={run.startedAt} /> · {why !== undefined ? <Text>{why}</Text> : count(run.calls, "call")}
        {run.errors > 0 && `, ${count(run.errors, "error")}`}
      </span>
    </>
  )
}
