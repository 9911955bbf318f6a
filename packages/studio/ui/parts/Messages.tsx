/** What was said in a conversation, and what goes on in it now. */
import type { ComponentChildren } from "preact"
import type * as Api from "../../src/Api.js"
import { Markdown } from "./Markdown.js"
import { OutcomeTag } from "./OutcomeView.js"
import { Json, LongText, Text } from "./Text.js"
import { renderTime } from "./time.js"
import type { CallNode, Tree } from "./tree.js"

const roles: { readonly [Role in Api.Entry["role"]]: string } = {
  system: "System",
  user: "You",
  assistant: "Model",
  results: "Results",
  summary: "Summary of what was before"
}

const Arguments = ({ value }: { readonly value: unknown }) =>
  value === undefined ? (
    <p class="quiet">not recorded</p>
  ) : typeof value === "string" ? (
    <LongText label="Arguments" text={value} />
  ) : (
    <Json label="Arguments" value={value} />
  )

const CallBlock = ({
  arguments: args,
  children,
  name,
  state
}: {
  readonly name: string
  readonly arguments: unknown
  readonly state: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <details class="call">
    <summary>
      <span class="row">
        <code>
          <Text>{name}</Text>
        </code>
        {state}
      </span>
    </summary>
    <div class="stack">
      <Arguments value={args} />
      {children}
    </div>
  </details>
)

type Result = Extract<Api.Part, { readonly _tag: "Result" }>

const PartView = ({ part, results }: { readonly part: Api.Part; readonly results: ReadonlyMap<string, Result> }) => {
  switch (part._tag) {
    case "Text":
    case "Refusal":
      return <Markdown text={part.text} />
    case "Reasoning":
      return (
        <details>
          <summary class="quiet">Reasoning</summary>
          <Markdown text={part.text} />
        </details>
      )
    case "Call": {
      const result = results.get(part.call.id)
      return (
        <CallBlock
          name={part.call.name}
          arguments={part.call.arguments}
          state={
            result === undefined ? (
              <span class="tag warn">no result yet</span>
            ) : result.isError ? (
              <span class="tag wrong">error</span>
            ) : (
              <span class="tag good">done</span>
            )
          }
        >
          {result !== undefined && <LongText label="What the model reads" text={result.text} />}
        </CallBlock>
      )
    }
    case "Result":
      return null
    case "Image":
    case "File":
      return (
        <p class="quiet">
          {part._tag}, <Text>{part.mediaType}</Text>
        </p>
      )
  }
}

export const Entries = ({
  entries,
  renderAction
}: {
  readonly entries: ReadonlyArray<Api.Entry>
  readonly renderAction?: (entry: Api.Entry) => ComponentChildren
}) => {
  const results = new Map(
    entries.flatMap(({ parts }) => parts.flatMap((part) => (part._tag === "Result" ? [[part.id, part] as const] : [])))
  )
  return (
    <>
      {entries
        .filter(({ role }) => role !== "results")
        .map((entry) => (
          <article
            key={entry.id}
            class={`message ${entry.role}`}
            aria-label={`${roles[entry.role]}, ${renderTime(entry.at)}`}
          >
            <header class="row apart">
              <h2>{roles[entry.role]}</h2>
              <span class="row quiet small">
                {entry.model !== undefined && <Text>{entry.model}</Text>} {renderTime(entry.at)}
                {renderAction?.(entry)}
              </span>
            </header>
            {entry.parts.map((part, index) => (
              <PartView key={index} part={part} results={results} />
            ))}
          </article>
        ))}
    </>
  )
}

const LiveCall = ({ call }: { readonly call: CallNode }) => (
  <CallBlock
    name={call.name}
    arguments={call.arguments}
    state={
      call.outcome === undefined ? <span class="tag on busy">running</span> : <OutcomeTag outcome={call.outcome} />
    }
  >
    {call.outcome?.text !== undefined && <LongText label="What the model reads" text={call.outcome.text} />}
  </CallBlock>
)

/** The turns of a run that the conversation does not have yet. */
export const LiveTurns = ({ tree, written }: { readonly tree: Tree; readonly written: ReadonlySet<string> }) => (
  <>
    {tree.nodes.map((node, index) => {
      if (node.kind === "note" && node.isError) {
        return (
          <p key={index} class="notice notice-wrong">
            {node.title} {node.text !== undefined && <Text>{node.text}</Text>}
          </p>
        )
      }
      if (node.kind === "call") return <LiveCall key={index} call={node} />
      if (node.kind !== "turn" || written.has(node.entry)) return null
      return (
        <article key={index} class="message assistant" aria-label="Model">
          <header>
            <h2>Model</h2>
          </header>
          {node.children.length === 0 && <p class="quiet busy">Thinking…</p>}
          {node.children.map((child, at) =>
            child.kind === "call" ? (
              <LiveCall key={at} call={child} />
            ) : child.kind === "text" ? (
              child.of === "Reasoning" ? (
                <details key={at}>
                  <summary class="quiet">Reasoning</summary>
                  <Markdown text={child.text} />
                </details>
              ) : (
                <Markdown key={at} text={child.text} />
              )
            ) : (
              <p key={at} class={child.isError ? "wrong" : "quiet"}>
                {child.title} {child.text !== undefined && <Text>{child.text}</Text>}
              </p>
            )
          )}
        </article>
      )
    })}
  </>
)
