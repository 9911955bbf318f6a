/** What to look at now: what waits, what runs, what went wrong today; and where to begin. */
import type { ComponentChildren } from "preact"
import type * as Api from "../../src/Api.js"
import { Ago } from "../parts/Ago.js"
import { Emptiness } from "../parts/Controls.js"
import { RunRow } from "../parts/RunRow.js"
import { Text } from "../parts/Text.js"
import { count } from "../parts/time.js"
import { isTroubled, waitOf } from "../parts/words.js"
import { now } from "../state/clock.js"
import { addressOfPage } from "../state/route.js"
import { about, approvals, runs, tools } from "../state/store.js"

/** How many of a kind are shown. */
const most = 6

const Cards = <A,>({
  children,
  label,
  list,
  nothing
}: {
  readonly label: string
  readonly list: ReadonlyArray<A>
  readonly nothing: string
  readonly children: (one: A) => ComponentChildren
}) => (
  <section class="stack tight" aria-label={label}>
    <h2>
      {label} <span class="quiet">{list.length}</span>
    </h2>
    {list.length === 0 ? <p class="quiet">{nothing}</p> : <ul class="cards">{list.slice(0, most).map(children)}</ul>}
  </section>
)

const RunCard = ({ run }: { readonly run: Api.Run }) => (
  <li>
    <a class="card" href={addressOfPage("runs", run.id)}>
      <RunRow run={run} />
      {isTroubled(run) && run.problem !== undefined && (
        <span class="wrong small">
          <Text>{run.problem}</Text>
        </span>
      )}
    </a>
  </li>
)

const argumentsOf = (args: Api.Approval["arguments"]): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ")
    .slice(0, 200)

export const StartPage = () => {
  const list = runs.use()?.runs
  const waiting = approvals.use()?.approvals ?? []
  const { agent = false, toolsets = false } = about.use()?.parts ?? {}
  const all = tools.use()?.tools
  if (list === undefined)
    return (
      <Emptiness isLoading={runs.error.value === undefined} error={runs.error.value}>
        {null}
      </Emptiness>
    )
  const today = new Date(now.value).toDateString()
  const failed = list.filter((run) => isTroubled(run) && new Date(run.startedAt).toDateString() === today)
  const running = list.filter((run) => run.status === "running" && waitOf(run, waiting) === undefined)
  const ended = list.filter(
    (run) => run.status !== "running" && !failed.includes(run) && waitOf(run, waiting) === undefined
  )
  return (
    <div class="page">
      <div class="start">
        <h1>{about.value.value?.title ?? "Wield studio"}</h1>
        <Cards label="Waits for an answer" list={waiting} nothing="Nothing waits.">
          {(approval) => (
            <li key={approval.id}>
              <a class="card waiting" href={addressOfPage("approvals", approval.id)}>
                <span class="name spread">
                  <Text>{approval.tool}</Text>
                  <span class="tag warn">waits</span>
                </span>
                <span>
                  <Text>{argumentsOf(approval.arguments)}</Text>
                </span>
                <span class="quiet small">
                  {approval.why !== undefined && (
                    <>
                      <Text>{approval.why}</Text> ·{" "}
                    </>
                  )}
                  {approval.askedAt !== undefined && <Ago at={approval.askedAt} />}
                </span>
              </a>
            </li>
          )}
        </Cards>
        <Cards label="Failed today" list={failed} nothing="Nothing failed today.">
          {(run) => <RunCard key={run.id} run={run} />}
        </Cards>
        {running.length > 0 && (
          <Cards label="Runs now" list={running} nothing="">
            {(run) => <RunCard key={run.id} run={run} />}
          </Cards>
        )}
        <Cards label="Ended lately" list={ended} nothing="No run was recorded yet.">
          {(run) => <RunCard key={run.id} run={run} />}
        </Cards>
        <section class="stack tight" aria-label="Begin">
          <h2>Begin</h2>
          <ul class="cards">
            <li>
              <a class="card" href={addressOfPage("tools", all?.find(({ isOffered }) => isOffered)?.name)}>
                <span class="name">Call a tool</span>
                <span class="quiet small">{all === undefined ? "…" : count(all.length, "tool")}, by a form</span>
              </a>
            </li>
            <li>
              <a class="card" href={addressOfPage("playground", "new")}>
                <span class="name">Begin a chat</span>
                <span class="quiet small">
                  {agent ? "With the model, or a script" : "With a script: it needs no key"}
                </span>
              </a>
            </li>
            {toolsets && (
              <li>
                <a class="card" href={addressOfPage("toolsets")}>
                  <span class="name">Choose what is on offer</span>
                  <span class="quiet small">Sets of tools, for each conversation</span>
                </a>
              </li>
            )}
          </ul>
        </section>
      </div>
    </div>
  )
}
