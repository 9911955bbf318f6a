/** What was said in a conversation, and what goes on in it now. */
import type { ComponentChildren } from "preact"
import type * as Api from "../../src/Api.js"
import { Markdown } from "./Markdown.js"
import { OutcomeTag } from "./OutcomeView.js"
import { Ago } from "./Ago.js"
import { Text } from "./Text.js"
import { renderTime } from "./time.js"
import { decisions } from "../state/store.js"
import { addressOfPage } from "../state/route.js"
import { isPicture, Picture, Value } from "./Value.js"
import { replies } from "./words.js"
import type { CallNode, Tree } from "./tree.js"

const roles: { readonly [Role in Api.Entry["role"]]: string } = {
  system: "System",
  user: "You",
  assistant: "Model",
  results: "Results",
  summary: "Summary of what was before"
}

type Given = Extract<Api.Part, { readonly _tag: "Answer" }>

const AnswerLine = ({ at, reason, reply, who }: Pick<Given, "at" | "reason" | "reply" | "who">) => (
  <p class="quiet small">
    {replies[reply]} <Ago at={at} />
    {who !== undefined && (
      <>
        {" by "}
        <Text>{who}</Text>
      </>
    )}
    {reason !== undefined && (
      <>
        : <Text>{reason}</Text>
      </>
    )}
  </p>
)

/** Who let a call run, or did not, as far as the studio has heard. */
export const Answer = ({ call }: { readonly call: string }) => {
  const decision = decisions.use()?.decisions.find(({ answer }) => answer.call.id === call)
  return decision === undefined ? null : (
    <AnswerLine
      at={decision.at}
      reply={decision.answer.reply}
      who={decision.answer.by.who}
      {...(decision.answer.reason === undefined ? {} : { reason: decision.answer.reason })}
    />
  )
}

/** The same as the conversation keeps it, wherever it was given. */
const GivenAnswer = ({ answer }: { readonly answer: Given }) => (
  <>
    <AnswerLine {...answer} />
    {answer.arguments !== undefined && <Value label="Arguments after the change" value={answer.arguments} />}
  </>
)

const CallBlock = ({
  answers = [],
  arguments: args,
  children,
  id,
  name,
  run,
  state
}: {
  readonly answers?: ReadonlyArray<Given>
  readonly id: string
  readonly run?: string | undefined
  readonly name: string
  readonly arguments: unknown
  readonly state: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <div class="call">
    <details>
      <summary>
        <span class="row">
          <code>
            <Text>{name}</Text>
          </code>
          {state}
        </span>
      </summary>
      <div class="stack">
        {args === undefined ? <p class="quiet">not recorded</p> : <Value label="Arguments" value={args} />}
        {children}
        {run !== undefined && (
          <p>
            <a href={addressOfPage("runs", run, id)}>See it in the run</a>
          </p>
        )}
      </div>
    </details>
    {answers.length === 0 ? (
      <Answer call={id} />
    ) : (
      answers.map((answer) => <GivenAnswer key={`${answer.call} ${answer.at}`} answer={answer} />)
    )}
  </div>
)

type Result = Extract<Api.Part, { readonly _tag: "Result" }>

const PartView = ({
  answers,
  part,
  results
}: {
  readonly answers: ReadonlyArray<Given>
  readonly part: Api.Part
  readonly results: ReadonlyMap<string, Result>
}) => {
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
          answers={answers.filter(({ call }) => call === part.call.id || call.startsWith(`${part.call.id}/`))}
          id={part.call.id}
          name={part.call.name}
          arguments={part.call.arguments}
          state={
            result === undefined ? (
              <span class="tag warn">waits</span>
            ) : (
              <OutcomeTag outcome={{ _tag: result.outcome, isError: result.isError }} />
            )
          }
        >
          {result !== undefined && <Value label="What the model reads" value={result.text} exact="Exact text" />}
        </CallBlock>
      )
    }
    case "Result":
    case "Answer":
      return null
    case "Image":
    case "File":
      return part.data !== undefined && isPicture(part.mediaType) ? (
        <Picture data={part.data} mediaType={part.mediaType} alt="Picture of the message" />
      ) : part.url !== undefined && /^https?:/.test(part.url) ? (
        <p>
          <a href={part.url} rel="noopener noreferrer" target="_blank">
            <Text>{part.url}</Text>
          </a>
        </p>
      ) : (
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
  const answers = entries.flatMap(({ parts }) => parts.filter((part) => part._tag === "Answer"))
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
                {entry.model !== undefined && <Text>{entry.model}</Text>} <Ago at={entry.at} />
                {renderAction?.(entry)}
              </span>
            </header>
            {entry.parts.map((part, index) => (
              <PartView key={index} answers={answers} part={part} results={results} />
            ))}
          </article>
        ))}
    </>
  )
}

const LiveCall = ({ call, run }: { readonly call: CallNode; readonly run: string | undefined }) => (
  <CallBlock
    id={call.id}
    run={run}
    name={call.name}
    arguments={call.arguments}
    state={
      call.outcome === undefined ? <span class="tag on busy">running</span> : <OutcomeTag outcome={call.outcome} />
    }
  >
    {call.outcome?.text !== undefined && (
      <Value label="What the model reads" value={call.outcome.text} exact="Exact text" />
    )}
  </CallBlock>
)

/** The turns of a run that the conversation does not have yet. */
export const LiveTurns = ({
  run,
  tree,
  written
}: {
  readonly tree: Tree
  /** Ids of entries, and of calls with results. */
  readonly written: ReadonlySet<string>
  readonly run: string | undefined
}) => (
  <>
    {tree.nodes.map((node, index) => {
      if (node.kind === "note" && node.isError) {
        return (
          <p key={index} class="notice notice-wrong">
            {node.title} {node.text !== undefined && <Text>{node.text}</Text>}
          </p>
        )
      }
      // A call that was answered goes on in a run of its own, and stands in the turn that has made it.
      if (node.kind === "call") return written.has(node.id) ? null : <LiveCall key={index} call={node} run={run} />
      if (node.kind !== "turn" || written.has(node.entry)) return null
      return (
        <article key={index} class="message assistant" aria-label="Model">
          <header>
            <h2>Model</h2>
          </header>
          {node.children.length === 0 && <p class="quiet busy">Thinking…</p>}
          {node.children.map((child, at) =>
            child.kind === "call" ? (
              <LiveCall key={at} call={child} run={run} />
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
