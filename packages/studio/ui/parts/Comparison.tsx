/** Two runs beside each other: their figures, and what they did. */
import { useMemo, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { addressOfPage, go } from "../state/route.js"
import { runs } from "../state/store.js"
import { useRun } from "../state/useRun.js"
import { Ago } from "./Ago.js"
import { Emptiness } from "./Controls.js"
import { compareLines } from "./diff.js"
import { DiffLines } from "./Diff.js"
import { stateNow } from "./RunRow.js"
import { Text } from "./Text.js"
import { renderCost, renderDuration, renderTime } from "./time.js"
import { makeTree, type Node, renderUsage, titleOf, type Tree } from "./tree.js"
import { showHidden } from "./visible.js"
import { outcomeWord, titleOfRun } from "./words.js"

/** A place in a run that names another run. */
export const comparing = "with:"

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

export const Comparison = ({ id, other }: { readonly id: string; readonly other: string }) => {
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
export const CompareSelect = ({ run }: { readonly run: Api.Run }) => {
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
