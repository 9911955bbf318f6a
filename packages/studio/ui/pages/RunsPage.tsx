/** Runs as they go on: a list that can be narrowed, and the one that is chosen, or two beside each other. */
import { signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { Comparison, comparing } from "../parts/Comparison.js"
import { Emptiness, FileButton, Problem, Search, Split, useAction, useShown } from "../parts/Controls.js"
import { RunRow } from "../parts/RunRow.js"
import { RunView } from "../parts/RunView.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import { isTroubled, outcomeWord, stateOfRun, titleOfRun } from "../parts/words.js"
import { now } from "../state/clock.js"
import { post } from "../state/http.js"
import { go, place } from "../state/route.js"
import { approvals, decisions, isReadOnly, runs } from "../state/store.js"

/** What the list of runs is narrowed to; it stays while another page is looked at. */
interface Filter {
  readonly text: string
  readonly state: string
  readonly tool: string
  readonly problem: string
  /** How old a run may be, in milliseconds. */
  readonly age: number
}

const everything: Filter = { text: "", state: "", tool: "", problem: "", age: 0 }

const filter = signal(everything)

const ages: ReadonlyArray<readonly [age: number, label: string]> = [
  [0, "Any time"],
  [3_600_000, "Last hour"],
  [86_400_000, "Last day"],
  [604_800_000, "Last week"]
]

const fits = (run: Api.Run, { age, problem, state, text, tool }: Filter, word: string): boolean => {
  const { conversation = "", id, name, problem: said = "", tools } = run
  const words = `${titleOfRun(run)} ${name} ${word} ${id} ${conversation} ${said} ${tools.join(" ")}`.toLowerCase()
  return (
    text
      .toLowerCase()
      .split(/\s+/)
      .every((part) => words.includes(part)) &&
    (state === "" || state === word) &&
    (tool === "" || tools.includes(tool)) &&
    (problem === "" || (problem === "any" ? isTroubled(run) : run.problems.includes(problem))) &&
    (age === 0 || run.startedAt >= now.value - age)
  )
}

const FilterSelect = ({
  label,
  onChange,
  options,
  value
}: {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly onChange: (value: string) => void
}) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
    {options.map(([one, words]) => (
      <option key={one} value={one}>
        {showHidden(words)}
      </option>
    ))}
  </select>
)

const Filters = ({ list, words }: { readonly list: ReadonlyArray<Api.Run>; readonly words: ReadonlyArray<string> }) => {
  const { age, problem, state, text, tool } = filter.value
  const set = (change: Partial<Filter>): void => void (filter.value = { ...filter.value, ...change })
  const pairs = (values: Iterable<string>, word: (value: string) => string = (value) => value) =>
    [...new Set(values)].toSorted().map((value) => [value, word(value)] as const)
  return (
    <>
      <Search label="Search runs" value={text} onInput={(typed) => set({ text: typed })} />
      <div class="filters">
        <FilterSelect
          label="State"
          value={state}
          onChange={(chosenState) => set({ state: chosenState })}
          options={[["", "Any state"], ...pairs(state === "" ? words : [...words, state])]}
        />
        <FilterSelect
          label="Tool"
          value={tool}
          onChange={(chosenTool) => set({ tool: chosenTool })}
          options={[["", "Any tool"], ...pairs(list.flatMap(({ tools }) => tools))]}
        />
        <FilterSelect
          label="Errors"
          value={problem}
          onChange={(chosenProblem) => set({ problem: chosenProblem })}
          options={[
            ["", "Errors or none"],
            ["any", "With errors"],
            ...pairs(
              list.flatMap(({ problems }) => problems),
              outcomeWord
            )
          ]}
        />
        <FilterSelect
          label="Time"
          value={String(age)}
          onChange={(chosenAge) => set({ age: Number(chosenAge) })}
          options={ages.map(([one, label]) => [String(one), label] as const)}
        />
      </div>
    </>
  )
}

export const RunsPage = () => {
  const { problem, run: act, setProblem } = useAction()
  const list = runs.use()?.runs
  const waiting = approvals.use()?.approvals ?? []
  const answered = decisions.use()?.decisions ?? []
  const states = useMemo(
    () => new Map((list ?? []).map((run) => [run.id, stateOfRun(run, waiting, answered)])),
    [list, waiting, answered]
  )
  const found = (list ?? []).filter((run) => fits(run, filter.value, states.get(run.id)!.word))
  const selected = useShown(found.map(({ id }) => id))
  useEffect(() => void approvals.load(), [])
  const importRun = (text: string): Promise<void> =>
    act(async () => {
      let file: unknown
      try {
        file = JSON.parse(text)
      } catch {
        return setProblem("The file is not JSON.")
      }
      const run = await post<Api.Run>("runs/import", file)
      go("runs", run.id)
    })
  return (
    <Split
      title="Runs"
      page="runs"
      side={
        <>
          <header>
            <div class="row apart">
              <h2>
                Runs <span class="quiet">{found.length}</span>
              </h2>
              {!isReadOnly() && <FileButton label="Import" onText={importRun} />}
            </div>
            <Filters list={list ?? []} words={[...states.values()].map(({ word }) => word)} />
            <Problem>{problem}</Problem>
          </header>
          {found.length === 0 ? (
            <Emptiness isLoading={list === undefined} error={runs.error.value}>
              {list?.length === 0 ? (
                "No run was recorded yet. Call a tool, or start a chat."
              ) : (
                <>
                  No run fits.{" "}
                  <button type="button" class="link" onClick={() => (filter.value = everything)}>
                    Show all
                  </button>
                </>
              )}
            </Emptiness>
          ) : (
            <VirtualList
              label="Runs"
              count={found.length}
              rowHeight={52}
              selected={found.findIndex(({ id }) => id === selected)}
              onOpen={(index) => go("runs", found[index]!.id)}
              keyOf={(index) => found[index]!.id}
              row={(index) => {
                const run = found[index]!
                return { content: <RunRow run={run} /> }
              }}
            />
          )}
        </>
      }
    >
      {selected === undefined ? (
        <div class="empty">Choose a run to see its turns and calls.</div>
      ) : place.value?.startsWith(comparing) === true ? (
        <Comparison key={place.value} id={selected} other={place.value.slice(comparing.length)} />
      ) : (
        <RunView key={selected} id={selected} />
      )}
    </Split>
  )
}
