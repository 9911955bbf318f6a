/** A run: its turns, calls and stages on a line of time, and what is chosen of them. */
import { useMemo, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { now } from "../state/clock.js"
import { getText, post, segment } from "../state/http.js"
import { addressOfPage, go, move, place } from "../state/route.js"
import { approvals, decisions, isReadOnly, runs, sessions, template } from "../state/store.js"
import { useRun } from "../state/useRun.js"
import { Ago } from "./Ago.js"
import { ApprovalCard } from "./ApprovalCard.js"
import { CompareSelect } from "./Comparison.js"
import { download, Emptiness, Problem, useAction } from "./Controls.js"
import { Answer } from "./Messages.js"
import { OutcomeTag, OutcomeView, StateTag } from "./OutcomeView.js"
import { stateNow } from "./RunRow.js"
import { LongText, Text } from "./Text.js"
import { count, renderCost, renderDuration, renderTime } from "./time.js"
import { type CallNode, makeTree, type Node, renderUsage, type Span, type Stage, titleOf, type Tree } from "./tree.js"
import { Value } from "./Value.js"
import { showHidden } from "./visible.js"
import { VirtualList } from "./VirtualList.js"
import { isTroubled, stateOfOutcome, titleOfRun, waitOf } from "./words.js"

interface Line {
  readonly key: string
  readonly level: number
  readonly node: Node | Stage
  readonly isExpanded: boolean | undefined
}

const childrenOf = (node: Node | Stage): ReadonlyArray<Node | Stage> =>
  !("kind" in node)
    ? []
    : node.kind === "turn"
      ? node.children
      : node.kind === "call"
        ? [...node.inner, ...node.stages]
        : []

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

const NodeDetail = ({ node, run }: { readonly node: Node | Stage; readonly run: Api.Run }) => {
  const { problem, run: act } = useAction()
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
      const { conversation } = run
      const fork = () =>
        act(async () => {
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
    case "call": {
      const waiting = approvals.use()?.approvals.find(({ call, from }) => from.run === run.id && call.id === node.id)
      if (waiting !== undefined) {
        return (
          <>
            <ApprovalCard approval={waiting} />
            <CallActions call={node} />
          </>
        )
      }
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
    }
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

/** Of an event, in pixels. */
const rowHeight = 30

/** What says most of a run, where nothing is chosen in it: the last call that went wrong, or that waits; else the first. */
const tellingIn = (lines: ReadonlyArray<Line>): number => {
  const outcomeOf = ({ node }: Line) => ("kind" in node && node.kind === "call" ? node.outcome : undefined)
  const failed = lines.findLastIndex((line) => outcomeOf(line)?.isError === true)
  if (failed >= 0) return failed
  const waiting = lines.findLastIndex((line) => outcomeOf(line)?._tag === "Deferred")
  return waiting >= 0 ? waiting : lines.findIndex(({ node }) => "kind" in node && node.kind === "call")
}

export const RunView = ({ id }: { readonly id: string }) => {
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
  const index = place.value === undefined ? tellingIn(lines) : lines.findIndex(isPlace)
  const shown = lines[index]
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
        <div class="tree" style={{ height: `${Math.max(2, lines.length) * rowHeight + 44}px` }}>
          <div class="axis quiet small">
            <span class="row">
              <button type="button" class="link" onClick={() => toggleAll(true)}>
                Expand all
              </button>
              <button type="button" class="link" onClick={() => toggleAll(false)}>
                Collapse all
              </button>
            </span>
            <span class="track" aria-hidden="true">
              <span>0</span>
              <span>{renderDuration((scale.to - scale.from) / 2)}</span>
              <span>{renderDuration(scale.to - scale.from)}</span>
            </span>
          </div>
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
        {shown !== undefined && (
          <section class="panel node" aria-label="What is chosen in the run">
            <NodeDetail key={shown.key} node={shown.node} run={run} />
          </section>
        )}
      </div>
    </div>
  )
}
