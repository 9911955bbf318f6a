/** What to look at now: what waits, what runs, what went wrong today; and where to begin. */
import type { ComponentChildren } from "preact"
import type * as Api from "../../src/Api.js"
import { Emptiness } from "../parts/Controls.js"
import { RunRow } from "../parts/RunRow.js"
import { Text } from "../parts/Text.js"
import { count, renderCost } from "../parts/time.js"
import { useWaiting, WaitingCards } from "../parts/Waiting.js"
import { isFailed, isTroubled, outcomeWord, waitOf } from "../parts/words.js"
import { now } from "../state/clock.js"
import { addressOfPage } from "../state/route.js"
import { about, runs, tools } from "../state/store.js"

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

/** Where the run is shown for what went wrong in it, it says that, however it goes on. */
const RunCard = ({ isFailure = false, run }: { readonly run: Api.Run; readonly isFailure?: boolean }) => (
  <li>
    <a class="card" href={addressOfPage("runs", run.id)}>
      <RunRow
        run={run}
        state={
          isFailure && run.problems.length > 0 ? { word: outcomeWord(run.problems.at(-1)!), tone: "wrong" } : undefined
        }
      />
      {isTroubled(run) && run.problem !== undefined && (
        <span class="wrong small">
          <Text>{run.problem}</Text>
        </span>
      )}
    </a>
  </li>
)

/** What there was today, in figures. */
const Figures = ({ runs: all }: { readonly runs: ReadonlyArray<Api.Run> }) => {
  const sum = (of: (run: Api.Run) => number | undefined): number =>
    all.reduce((total, run) => total + (of(run) ?? 0), 0)
  const cost = sum((run) => run.cost)
  const figures: ReadonlyArray<readonly [name: string, value: string]> = [
    ["Runs", String(all.length)],
    ["Calls", String(sum(({ calls }) => calls))],
    ["Errors", String(sum(({ errors }) => errors))],
    ["Tokens", sum(({ models }) => sumOf(Object.values(models))).toLocaleString()],
    ...(cost === 0 ? [] : [["Cost", renderCost(cost)] as const])
  ]
  return (
    <dl class="figures" aria-label="Today">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name} today</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const sumOf = (usages: ReadonlyArray<Api.Usage>): number =>
  usages.reduce((total, { input = 0, output = 0 }) => total + input + output, 0)

export const StartPage = () => {
  const list = runs.use()?.runs
  const { list: waiting = [], seen } = useWaiting()
  const { agent = false, toolsets = false } = about.use()?.parts ?? {}
  const all = tools.use()?.tools
  if (list === undefined)
    return (
      <Emptiness isLoading={runs.error.value === undefined} error={runs.error.value}>
        {null}
      </Emptiness>
    )
  const today = new Date(now.value).toDateString()
  const ofToday = list.filter(({ startedAt }) => new Date(startedAt).toDateString() === today)
  const failed = ofToday.filter(isFailed)
  const running = list.filter((run) => run.status === "running" && waitOf(run, waiting) === undefined)
  const ended = list.filter(
    (run) => run.status !== "running" && !failed.includes(run) && waitOf(run, waiting) === undefined
  )
  return (
    <div class="page">
      <h1>{about.value.value?.title ?? "Wield studio"}</h1>
      <Figures runs={ofToday} />
      <div class="beside">
        <div class="stack">
          <section class="stack tight" aria-label="Waits for an answer">
            <h2>
              Waits for an answer <span class="quiet">{waiting.length}</span>
            </h2>
            {waiting.length === 0 && <p class="quiet">Nothing waits.</p>}
            <div class="stack">
              <WaitingCards list={waiting} seen={seen} most={most} />
            </div>
            {waiting.length > most && <a href={addressOfPage("approvals")}>All {waiting.length}</a>}
          </section>
          <Cards label="Failed today" list={failed} nothing="Nothing failed today.">
            {(run) => <RunCard key={run.id} run={run} isFailure />}
          </Cards>
        </div>
        <div class="stack">
          {running.length > 0 && (
            <Cards label="Runs now" list={running} nothing="">
              {(run) => <RunCard key={run.id} run={run} />}
            </Cards>
          )}
          <Cards label="Ended lately" list={ended} nothing="No run has ended yet.">
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
    </div>
  )
}
