/** Runs as they go on: turns, calls, stages and times. */
import { useMemo, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { download, Emptiness, FileButton, Problem, Search, Split, useAction } from "../parts/Controls.js"
import { OutcomeTag, OutcomeView } from "../parts/OutcomeView.js"
import { Json, LongText, Text } from "../parts/Text.js"
import { count, renderDuration, renderTime } from "../parts/time.js"
import { makeTree, type Node, renderUsage, type Stage, type Tree } from "../parts/tree.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import { getText, post, segment } from "../state/http.js"
import { addressOfPage, chosen, go } from "../state/route.js"
import { isReadOnly, runs } from "../state/store.js"
import { useRun } from "../state/useRun.js"

const tones: { readonly [Status in Api.Run["status"]]: string } = {
  running: "on",
  finished: "good",
  paused: "warn",
  stopped: "warn",
  failed: "wrong",
  interrupted: "wrong"
}

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
      return node.text === undefined ? node.title : `${node.title}: ${node.text.slice(0, 200)}`
  }
}

const RowContent = ({
  line: { isExpanded, level, node },
  startedAt
}: {
  readonly line: Line
  readonly startedAt: number
}) => {
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
      <span class="time quiet small">
        {endedAt === undefined ? `+${renderDuration(node.at - startedAt)}` : renderDuration(endedAt - node.at)}
      </span>
    </div>
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
        {node.value !== undefined && <Json label="Value" value={node.value} />}
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
          <h3>Arguments</h3>
          {typeof node.arguments === "string" ? (
            <LongText label="Arguments" text={node.arguments} />
          ) : node.arguments === undefined ? (
            <p class="quiet">not recorded</p>
          ) : (
            <Json label="Arguments" value={node.arguments} />
          )}
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

const RunView = ({ id }: { readonly id: string }) => {
  const log = useRun(id)
  const version = log?.version.value
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string>()
  const [isFollowing, setIsFollowing] = useState(true)
  const { problem, run: act } = useAction()
  const tree = useMemo(() => makeTree(log?.events ?? []), [log, version])
  const lines = useMemo(() => linesOf(tree, toggled), [tree, toggled])
  const listed = runs.use()?.runs.find((one) => one.id === id)
  const run = listed ?? log?.run.value
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
  const index = lines.findIndex(({ key }) => key === selected)
  return (
    <div class="run">
      <header class="stack">
        <h1>
          <Text>{run.name}</Text>
        </h1>
        <p class="row">
          <span class={`tag ${tones[run.status]}`}>{run.status}</span>
          <span class="quiet">
            {renderTime(run.startedAt)}
            {run.endedAt !== undefined && ` · ${renderDuration(run.endedAt - run.startedAt)}`} ·{" "}
            {count(log.events.length, "event")}
            {renderUsage(run.usage) !== "" && ` · ${renderUsage(run.usage)} tokens`}
            {run.origin !== undefined && ` · from ${showHidden(run.origin)}`}
          </span>
        </p>
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
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={({ currentTarget }) => setIsFollowing(currentTarget.checked)}
            />
            Follow
          </label>
        </div>
        <Problem>{problem ?? log.error.value}</Problem>
      </header>
      <div class="tree">
        <VirtualList
          label="Events of the run"
          count={lines.length}
          rowHeight={32}
          selected={index}
          isFollowing={isFollowing && run.status === "running"}
          onToggle={toggle}
          onOpen={(at) => setSelected(lines[at]!.key)}
          keyOf={(at) => lines[at]!.key}
          row={(at) => {
            const line = lines[at]!
            return {
              level: line.level,
              isExpanded: line.isExpanded,
              content: <RowContent line={line} startedAt={tree.startedAt} />
            }
          }}
        />
      </div>
      {index >= 0 && (
        <section class="panel node" aria-label="What is chosen in the run">
          <NodeDetail key={selected} node={lines[index]!.node} conversation={run.conversation} />
        </section>
      )}
    </div>
  )
}

export const RunsPage = () => {
  const [search, setSearch] = useState("")
  const { problem, run: act, setProblem } = useAction()
  const list = runs.use()?.runs
  const selected = chosen.value
  const found = (list ?? []).filter(({ conversation = "", id, name, status }) =>
    `${name} ${status} ${id} ${conversation}`.toLowerCase().includes(search.toLowerCase().trim())
  )
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
            <Search label="Search runs" value={search} onInput={setSearch} />
            <Problem>{problem}</Problem>
          </header>
          {found.length === 0 ? (
            <Emptiness isLoading={list === undefined} error={runs.error.value}>
              {search === "" ? "No run was recorded yet. Call a tool, or start a chat." : "No run has these words."}
            </Emptiness>
          ) : (
            <VirtualList
              label="Runs"
              count={found.length}
              rowHeight={56}
              selected={found.findIndex(({ id }) => id === selected)}
              onOpen={(index) => go("runs", found[index]!.id)}
              keyOf={(index) => found[index]!.id}
              row={(index) => {
                const run = found[index]!
                return {
                  content: (
                    <>
                      <span class="name spread">
                        <Text>{run.name}</Text>
                        <span class={`tag ${tones[run.status]}`}>{run.status}</span>
                      </span>
                      <span class="quiet small">
                        {renderTime(run.startedAt)} · {count(run.calls, "call")}
                        {run.errors > 0 && `, ${count(run.errors, "error")}`}
                      </span>
                    </>
                  )
                }
              }}
            />
          )}
        </>
      }
    >
      {selected === undefined ? (
        <div class="empty">Choose a run to see its turns and calls.</div>
      ) : (
        <RunView key={selected} id={selected} />
      )}
    </Split>
  )
}
