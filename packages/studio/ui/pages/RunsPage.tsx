/** Runs as they go on: a list that can be narrowed, and of each its turns, calls and stages on a line of time. */
import { signal } from "@preact/signals"
import { useEffect, useMemo, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { Ago } from "../parts/Ago.js"
import { download, Emptiness, FileButton, Problem, Search, Split, useAction } from "../parts/Controls.js"
import { compareLines } from "../parts/diff.js"
import { DiffLines } from "../parts/Diff.js"
import { Answer } from "../parts/Messages.js"
import { OutcomeTag, OutcomeView, StateTag } from "../parts/OutcomeView.js"
import { LongText, Text } from "../parts/Text.js"
import { count, renderDuration, renderTime } from "../parts/time.js"
import { type CallNode, makeTree, type Node, renderUsage, type Span, type Stage, type Tree } from "../parts/tree.js"
import { Value } from "../parts/Value.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import { isTroubled, outcomeWord, stateOfOutcome, stateOfRun, titleOfRun, waitOf } from "../parts/words.js"
import { now } from "../state/clock.js"
import { getText, post, segment } from "../state/http.js"
import { addressOfPage, chosen, go, move, place } from "../state/route.js"
import { approvals, decisions, isReadOnly, runs, sessions, template } from "../state/store.js"
import { useRun } from "../state/useRun.js"

interface Line {
  readonly key: string
  readonly level: number
  readonly node: Node | Stage
  readonly isExpanded: boolean | undefined
}

const childrenOf = (node: Node | Stage): ReadonlyArray<Node | Stage> =>
  !("kind" in node) ? [] : node.kind === "turn" ? node.children : node.kind === "call" ? node.stages : []

/** The rows in view order. Turns are open unless closed, calls closed unless opened. */
const linesOf = (tree: Tree, toggled: ReadonlySet<string>): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const walk = (nodes: ReadonlyArray<Node | Stage>, level: number, parent: string): void => {
    for (const [index, node] of nodes.entries()) {
      const key = `${parent}.${index}`
      const children = childrenOf(node)
      const isOpenAtFirst = "kind" in node && node.kind === "turn"
      const isExpanded = children.length === 0 ? undefined : isOpenAtFirst !== toggled.has(key)
      lines.push({ key, level, node, isExpanded })
      if (isExpanded === true) walk(children, level + 1, key)
    }
  }
  walk(tree.nodes, 1, "")
  return lines
}

const titleOf = (node: Node | Stage): string => {
  if (!("kind" in node)) return node.title
  switch (node.kind) {
    case "turn":
      return `Turn ${node.step} · ${node.model}`
    case "call":
      return node.name
    case "text":
      return `${node.of === "Text" ? "" : `${node.of}: `}${node.text.slice(0, 200).replaceAll(/\s+/g, " ")}`
    case "note":
      return node.text === undefined || node.text === "" ? node.title : `${node.title}: ${node.text.slice(0, 200)}`
  }
}

/** What a row's bar shows: from when to when, and of which colour. */
const spansOf = (node: Node | Stage): ReadonlyArray<Span & { readonly tone: string }> => {
  if (!("kind" in node))
    return node.endedAt === undefined ? [] : [{ at: node.at, endedAt: node.endedAt, tone: "stage" }]
  const until = (endedAt: number | undefined) => (endedAt === undefined ? {} : { endedAt })
  switch (node.kind) {
    case "turn":
      return [{ at: node.at, ...until(node.endedAt), tone: "turn" }]
    case "text":
      return [{ at: node.at, endedAt: node.endedAt, tone: "text" }]
    case "note":
      return []
    case "call": {
      const waits = node.waits.map((wait) => ({ ...wait, tone: "wait" }))
      const isWaiting = waits.some(({ endedAt }) => endedAt === undefined)
      const tone = node.outcome === undefined ? "on" : stateOfOutcome(node.outcome).tone
      return isWaiting ? waits : [{ at: node.at, ...until(node.endedAt), tone }, ...waits]
    }
  }
}

/** The time that the bars share. What goes on, or waits, goes to its end. */
interface Scale {
  readonly from: number
  readonly to: number
}

const Bars = ({ node, scale: { from, to } }: { readonly node: Node | Stage; readonly scale: Scale }) => (
  <span class={spansOf(node).length === 0 ? undefined : "track"} aria-hidden="true">
    {spansOf(node).map(({ at, endedAt = to, tone }, index) => {
      const left = Math.min(99, Math.max(0, ((at - from) / (to - from)) * 100))
      const width = Math.max(0, Math.min(100 - left, ((endedAt - at) / (to - from)) * 100))
      return <span key={index} class={`bar ${tone}`} style={{ left: `${left}%`, width: `${width}%` }} />
    })}
  </span>
)

const RowContent = ({ line: { isExpanded, level, node }, scale }: { readonly line: Line; readonly scale: Scale }) => {
  const endedAt = "endedAt" in node ? node.endedAt : undefined
  return (
    <div class={`tree-row level-${Math.min(level, 4)}`}>
      <span class={isExpanded === undefined ? "leaf" : isExpanded ? "twist open" : "twist"} />
      <span class={"kind" in node && node.kind === "text" ? "title quiet" : "title"}>
        <Text>{titleOf(node)}</Text>
      </span>
      {"kind" in node && node.kind === "call" && (
        <>
          {node.outcome === undefined ? (
            <span class="tag on busy">running</span>
          ) : (
            <OutcomeTag outcome={node.outcome} />
          )}
        </>
      )}
      {"kind" in node && node.kind === "note" && node.isError && <span class="tag wrong">error</span>}
      <Bars node={node} scale={scale} />
      <span class="time quiet small">
        {endedAt === undefined ? `+${renderDuration(node.at - scale.from)}` : renderDuration(endedAt - node.at)}
      </span>
    </div>
  )
}

/** What can be done with a call that was made: make it again by hand, or have a script make it. */
const CallActions = ({ call }: { readonly call: CallNode }) => {
  const { problem, run } = useAction()
  if (isReadOnly() || call.arguments === undefined) return null
  const take = (): void => void (template.value = { tool: call.name, arguments: call.arguments })
  const play = () =>
    run(async () => {
      const session = await post<Api.Session>("playground", { model: "scripted" })
      take()
      sessions.reload()
      go("playground", session.id)
    })
  return (
    <>
      <div class="row">
        <button
          type="button"
          onClick={() => {
            take()
            go("tools", call.name)
          }}
        >
          Call again
        </button>
        <button type="button" onClick={play}>
          Open in the playground
        </button>
      </div>
      <Problem>{problem}</Problem>
    </>
  )
}

const NodeDetail = ({
  conversation,
  node
}: {
  readonly node: Node | Stage
  readonly conversation: string | undefined
}) => {
  const { problem, run } = useAction()
  if (!("kind" in node)) {
    return (
      <>
        <h2>
          <Text>{node.title}</Text>
        </h2>
        <p class="quiet">{renderTime(node.at)}</p>
        {node.value !== undefined && <Value label="Value" value={node.value} />}
      </>
    )
  }
  switch (node.kind) {
    case "turn": {
      const fork = () =>
        run(async () => {
          const made = await post<Api.Conversation>(`conversations/${segment(conversation!)}/fork`, { at: node.entry })
          go("conversations", made.id)
        })
      return (
        <>
          <h2>Turn {node.step}</h2>
          <dl class="facts">
            <dt>Model</dt>
            <dd>
              <Text>{node.model}</Text>
            </dd>
            {node.finish !== undefined && (
              <>
                <dt>Ended by</dt>
                <dd>{node.finish}</dd>
              </>
            )}
            {node.usage !== undefined && (
              <>
                <dt>Tokens</dt>
                <dd>{renderUsage(node.usage) || "not known"}</dd>
              </>
            )}
          </dl>
          {conversation !== undefined && !isReadOnly() && (
            <p>
              <button type="button" onClick={fork}>
                Fork the conversation here
              </button>
            </p>
          )}
          <Problem>{problem}</Problem>
        </>
      )
    }
    case "call":
      return (
        <>
          <h2>
            <Text>{node.name}</Text>
          </h2>
          <CallActions call={node} />
          {node.arguments === undefined ? (
            <p class="quiet">The arguments were not recorded.</p>
          ) : (
            <Value label="Arguments" value={node.arguments} />
          )}
          <Answer call={node.id} />
          {node.outcome === undefined ? (
            <p class="quiet busy">Running…</p>
          ) : (
            <OutcomeView
              outcome={node.outcome}
              milliseconds={node.endedAt === undefined ? undefined : node.endedAt - node.at}
            />
          )}
        </>
      )
    case "text":
      return (
        <>
          <h2>{node.of}</h2>
          <LongText label={node.of} text={node.text} />
        </>
      )
    case "note":
      return (
        <>
          <h2>{node.title}</h2>
          {node.text !== undefined && <LongText label={node.title} text={node.text} />}
        </>
      )
  }
}

const stateNow = (run: Api.Run) => stateOfRun(run, approvals.use()?.approvals ?? [], decisions.use()?.decisions ?? [])

/** What has to do with the run beside its events: why it waits, what was answered, what went wrong. */
const Situation = ({ run }: { readonly run: Api.Run }) => {
  const waiting = waitOf(run, approvals.use()?.approvals ?? [])
  const next = decisions.use()?.decisions.find(({ asked, run: goesOn }) => asked === run.id && goesOn !== run.id)
  return (
    <>
      {waiting !== undefined && (
        <p class="notice notice-warn row apart">
          <span>
            <Text>{waiting.tool}</Text> waits for {waiting.waitsFor === "client" ? "a client" : "a person"}
            {waiting.why !== undefined && (
              <>
                : <Text>{waiting.why}</Text>
              </>
            )}
          </span>
          <a href={addressOfPage("approvals", waiting.id)}>Answer it</a>
        </p>
      )}
      {next?.run !== undefined && (
        <p class="notice row apart">
          <span>
            It was answered <Ago at={next.at} /> and goes on in another run.
          </span>
          <a href={addressOfPage("runs", next.run, next.answer.call.id)}>See that run</a>
        </p>
      )}
      {isTroubled(run) && run.problem !== undefined && (
        <p class="notice notice-wrong">
          <Text>{run.problem}</Text>
        </p>
      )}
    </>
  )
}

/** What a run did, line by line, for a comparison: what differs from run to run in any case is left out. */
const outlineOf = (tree: Tree): ReadonlyArray<string> => {
  const read = (node: Node, indent: string): ReadonlyArray<string> => {
    switch (node.kind) {
      case "turn":
        return [
          `${indent}Turn ${node.step} · ${node.model}`,
          ...node.children.flatMap((one) => read(one, `${indent}  `))
        ]
      case "call":
        return [
          `${indent}${node.name} ${typeof node.arguments === "string" ? node.arguments : (JSON.stringify(node.arguments) ?? "")}`,
          ...(node.outcome === undefined ? [] : [`${indent}  → ${outcomeWord(node.outcome._tag)}`]),
          ...(node.outcome?.text ?? "")
            .slice(0, 2000)
            .split("\n")
            .filter(Boolean)
            .map((line) => `${indent}    ${line}`)
        ]
      case "text":
        return node.text.split("\n").map((line) => `${indent}${line}`)
      case "note":
        return [`${indent}${titleOf(node)}`]
    }
  }
  return tree.nodes.flatMap((node) => read(node, ""))
}

const figuresOf = (run: Api.Run): ReadonlyArray<readonly [name: string, value: string]> => [
  ["State", stateNow(run).word],
  ["Time", run.endedAt === undefined ? "goes on" : renderDuration(run.endedAt - run.startedAt)],
  ["Turns", String(run.steps)],
  ["Calls", String(run.calls)],
  ["Errors", String(run.errors)],
  ["Tokens", renderUsage(run.usage) || "none"],
  ["Cost", run.cost === undefined ? "not known" : renderCost(run.cost)]
]

/** In the currency of the studio's prices, whichever it is. */
const renderCost = (cost: number): string => cost.toLocaleString(undefined, { maximumSignificantDigits: 3 })

const Comparison = ({ id, other }: { readonly id: string; readonly other: string }) => {
  const logs = [useRun(id), useRun(other)]
  const [one, two] = logs
  const found = logs.map((log) => runs.use()?.runs.find((run) => run.id === log?.id) ?? log?.run.value)
  const [first, second] = found
  const outlines = useMemo(
    () => [one, two].map((log) => outlineOf(makeTree(log?.events ?? []))),
    [one, two, one?.version.value, two?.version.value]
  )
  if (first === undefined || second === undefined) {
    return (
      <Emptiness
        isLoading={one?.error.value === undefined && two?.error.value === undefined}
        error={one?.error.value ?? two?.error.value}
      >
        {null}
      </Emptiness>
    )
  }
  const figures = [figuresOf(first), figuresOf(second)]
  return (
    <div class="stack">
      <h1>Two runs beside each other</h1>
      <div class="table" tabIndex={0} role="group" aria-label="Figures of both runs">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Figure</span>
              </th>
              {[first, second].map((run, index) => (
                <th key={index} scope="col">
                  <a href={addressOfPage("runs", run.id)}>
                    <Text>{titleOfRun(run)}</Text>
                  </a>{" "}
                  <span class="quiet">
                    <Ago at={run.startedAt} />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures[0]!.map(([name, value], index) => {
              const against = figures[1]![index]![1]
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                  <td class={value === against ? undefined : "warn"}>{against}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <h2>What they did</h2>
      <DiffLines label="What the runs did" lines={compareLines(outlines[0]!, outlines[1]!)} />
    </div>
  )
}

/** A choice alone does nothing: by the keyboard, one goes through the others to the one that is meant. */
const CompareSelect = ({ run }: { readonly run: Api.Run }) => {
  const [other, setOther] = useState("")
  const others = (runs.use()?.runs ?? []).filter(({ id }) => id !== run.id)
  if (others.length === 0) return null
  return (
    <>
      <select
        class="narrow"
        aria-label="Compare with"
        value={other}
        onChange={({ currentTarget }) => setOther(currentTarget.value)}
      >
        <option value="">Compare with…</option>
        {others
          .toSorted((a, b) => Number(b.name === run.name) - Number(a.name === run.name))
          .slice(0, 100)
          .map((one) => (
            <option key={one.id} value={one.id}>
              {showHidden(titleOfRun(one).slice(0, 60))} · {renderTime(one.startedAt)}
            </option>
          ))}
      </select>
      {other !== "" && (
        <button type="button" onClick={() => go("runs", run.id, `${comparing}${other}`)}>
          Compare
        </button>
      )}
    </>
  )
}

/** Of an event, in pixels. */
const rowHeight = 30

/** A place in a run that names another run. */
const comparing = "with:"

const RunView = ({ id }: { readonly id: string }) => {
  const log = useRun(id)
  const version = log?.version.value
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [isFollowing, setIsFollowing] = useState(true)
  const { problem, run: act } = useAction()
  const tree = useMemo(() => makeTree(log?.events ?? []), [log, version])
  const lines = useMemo(() => linesOf(tree, toggled), [tree, toggled])
  const listed = runs.use()?.runs.find((one) => one.id === id)
  const run = listed ?? log?.run.value
  // A place is a row's, or that of a call by the call's id.
  const isPlace = ({ key, node }: Line): boolean =>
    key === place.value || ("kind" in node && node.kind === "call" && node.id === place.value)
  const index = lines.findIndex(isPlace)
  if (log === undefined || run === undefined) {
    return (
      <Emptiness isLoading={log?.error.value === undefined} error={log?.error.value}>
        {null}
      </Emptiness>
    )
  }
  const toggle = (index: number, isExpanded: boolean): void => {
    const line = lines[index]!
    if (line.isExpanded === undefined || line.isExpanded === isExpanded) return
    const next = new Set(toggled)
    if (!next.delete(line.key)) next.add(line.key)
    setToggled(next)
  }
  const toggleAll = (isExpanded: boolean): void => {
    const next = new Set<string>()
    const walk = (nodes: ReadonlyArray<Node | Stage>, parent: string): void => {
      for (const [index, node] of nodes.entries()) {
        const key = `${parent}.${index}`
        const children = childrenOf(node)
        const isOpenAtFirst = "kind" in node && node.kind === "turn"
        if (children.length > 0 && isOpenAtFirst !== isExpanded) next.add(key)
        walk(children, key)
      }
    }
    walk(tree.nodes, "")
    setToggled(next)
  }
  const isOpen = run.status === "running"
  const to = Math.max(isOpen ? now.value : 0, run.endedAt ?? 0, log.events.at(-1)?.at ?? 0)
  const length = Math.max(1, to - tree.startedAt)
  // What waited as the run ended goes beyond its end.
  const scale = { from: tree.startedAt, to: tree.startedAt + length * (run.status === "paused" ? 1.15 : 1) }
  return (
    <div class="run">
      <header class="stack">
        <div class="row apart">
          <h1>
            <Text>{titleOfRun(run)}</Text>
          </h1>
          <StateTag state={stateNow(run)} />
        </div>
        <p class="quiet">
          <Text>{run.name}</Text> · <Ago at={run.startedAt} />
          {run.endedAt !== undefined && ` · ${renderDuration(run.endedAt - run.startedAt)}`} ·{" "}
          {count(log.events.length, "event")}
          {renderUsage(run.usage) !== "" && ` · ${renderUsage(run.usage)} tokens`}
          {run.cost !== undefined && ` · cost ${renderCost(run.cost)}`}
          {run.origin !== undefined && ` · from ${showHidden(run.origin)}`}
        </p>
        <Situation run={run} />
        {run.dropped > 0 && <p class="warn">{count(run.dropped, "older event")} made room for newer ones.</p>}
        <div class="row">
          {run.conversation !== undefined && (
            <a href={addressOfPage("conversations", run.conversation)}>Conversation</a>
          )}
          <button
            type="button"
            onClick={() => act(async () => download(`run-${id}.json`, await getText(`runs/${segment(id)}/export`)))}
          >
            Export
          </button>
          <button type="button" onClick={() => toggleAll(true)}>
            Expand all
          </button>
          <button type="button" onClick={() => toggleAll(false)}>
            Collapse all
          </button>
          <CompareSelect run={run} />
          {isOpen && (
            <label class="check">
              <input
                type="checkbox"
                checked={isFollowing}
                onChange={({ currentTarget }) => setIsFollowing(currentTarget.checked)}
              />
              Follow
            </label>
          )}
        </div>
        <Problem>{problem ?? log.error.value}</Problem>
      </header>
      <div class={index >= 0 ? "run-body chosen" : "run-body"}>
        <div class="tree" style={{ height: `${Math.max(6, lines.length) * rowHeight + 40}px` }}>
          <p class="axis quiet small" aria-hidden="true">
            <span class="track">
              <span>0</span>
              <span>{renderDuration((scale.to - scale.from) / 2)}</span>
              <span>{renderDuration(scale.to - scale.from)}</span>
            </span>
          </p>
          <VirtualList
            label="Events of the run"
            count={lines.length}
            rowHeight={rowHeight}
            selected={index}
            isFollowing={isFollowing && isOpen}
            onToggle={toggle}
            onOpen={(at) => move("runs", id, lines[at]!.key)}
            keyOf={(at) => lines[at]!.key}
            row={(at) => {
              const line = lines[at]!
              return {
                level: line.level,
                isExpanded: line.isExpanded,
                content: <RowContent line={line} scale={scale} />
              }
            }}
          />
        </div>
        {index >= 0 && (
          <section class="panel node" aria-label="What is chosen in the run">
            <NodeDetail key={lines[index]!.key} node={lines[index]!.node} conversation={run.conversation} />
          </section>
        )}
      </div>
    </div>
  )
}

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
  const selected = chosen.value
  const states = useMemo(
    () => new Map((list ?? []).map((run) => [run.id, stateOfRun(run, waiting, answered)])),
    [list, waiting, answered]
  )
  const found = (list ?? []).filter((run) => fits(run, filter.value, states.get(run.id)!.word))
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
      isChosen={selected !== undefined}
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

/** A run in two lines: what it was about and how it stands; whose, when, and how much it was or why it waits. */
export const RunRow = ({ run }: { readonly run: Api.Run }) => {
  const why = waitOf(run, approvals.use()?.approvals ?? [])?.why
  return (
    <>
      <span class="name spread">
        <Text>{titleOfRun(run)}</Text>
        <StateTag state={stateNow(run)} />
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
