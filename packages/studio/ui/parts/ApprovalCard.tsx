/**
 * One call that waits: what is asked, by whom, until when; and the answer, which names the digest shown. When it is
 * answered, its card says so in its place.
 */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { ArgumentsEditor } from "../form/ArgumentsEditor.js"
import type { Problems } from "../form/SchemaForm.js"
import { problemsOf } from "../form/problems.js"
import { post, segment } from "../state/http.js"
import { addressOfPage } from "../state/route.js"
import { now } from "../state/clock.js"
import { announcement, approvals, decisions, isReadOnly, issuesOf } from "../state/store.js"
import { Button, Problem, TextField, useAction } from "./Controls.js"
import { Diff } from "./Diff.js"
import { OutcomeTag } from "./OutcomeView.js"
import { Text } from "./Text.js"
import { renderDuration, renderTime } from "./time.js"
import { Ago } from "./Ago.js"
import { Value } from "./Value.js"
import { replies } from "./words.js"

const askers: { readonly [Kind in Api.Approval["from"]["kind"]]: string } = {
  playground: "a chat in the playground",
  call: "a call by hand",
  agent: "an agent",
  store: "a stored conversation"
}

type Mode = "approve" | "change" | "deny"

const From = ({ approval: { call, from } }: { readonly approval: Api.Approval }) => (
  <>
    {askers[from.kind]}
    {from.conversation !== undefined && (
      <>
        {": "}
        <a href={addressOfPage("conversations", from.conversation)}>
          <Text>{from.name}</Text>
        </a>
      </>
    )}
    {from.run !== undefined && (
      <>
        {" · "}
        <a href={addressOfPage("runs", from.run, call.id)}>run</a>
      </>
    )}
  </>
)

const waits: { readonly [Kind in Api.Approval["waitsFor"]]: string } = {
  approval: "asks for approval",
  client: "waits for a result",
  input: "asks for input"
}

interface CardProps {
  readonly approval: Api.Approval
  readonly isChosen?: boolean
}

/** Another call under the same id is another card: what was filled in for the one is no answer to the other. */
export const ApprovalCard = (props: CardProps) => <Card key={props.approval.id} {...props} />

const Card = ({ approval: shown, isChosen = false }: CardProps) => {
  const id = useId()
  const card = useRef<HTMLElement>(null)
  const [mode, setMode] = useState<Mode>("approve")
  const [changed, setChanged] = useState<unknown>(shown.arguments)
  const [reason, setReason] = useState("")
  const [result, setResult] = useState<unknown>()
  const [mistake, setMistake] = useState<string>()
  const [problems, setProblems] = useState<Problems>(new Map())
  const { isBusy, problem, run } = useAction()
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    // Who has pressed a button goes on in what it has opened.
    if (!isFirst.current && mode !== "approve") {
      card.current!.querySelector<HTMLElement>("input, textarea, select")?.focus()
    }
    isFirst.current = false
  }, [mode])
  useLayoutEffect(() => {
    // The page as a whole has the focus as long as the user has not moved it.
    const isFree = document.activeElement === document.body || document.activeElement?.localName === "main"
    if (isChosen && isFree) card.current!.focus()
  }, [isChosen])
  const answer = (reply: Api.Reply) =>
    run(async () => {
      setProblems(new Map())
      try {
        const body: Api.ApprovalAnswer = { digest: shown.digest, reply }
        await post<Api.Answered>(`approvals/${segment(shown.id)}`, body)
        announcement.value = `${replies[reply._tag]}: ${shown.tool}`
      } catch (cause) {
        setProblems(problemsOf(issuesOf(cause)))
        throw cause
      } finally {
        await Promise.all([approvals.load(), decisions.load()])
      }
    })
  const { input } = shown
  const isClient = shown.waitsFor === "client"
  const left = shown.expiresAt === undefined ? undefined : shown.expiresAt - now.value
  const isExpired = left !== undefined && left <= 0
  const isStopped = isBusy || isReadOnly() || isExpired
  return (
    <article ref={card} class="panel approval" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header class="row apart">
        <h2 id={`${id}-title`}>
          <Text>{shown.tool}</Text> <span class="quiet">{waits[shown.waitsFor]}</span>
        </h2>
        {shown.facts.isDestructive && <span class="tag wrong">may destroy something</span>}
      </header>
      <dl class="facts">
        {shown.why !== undefined && (
          <>
            <dt>Because</dt>
            <dd>
              <Text>{shown.why}</Text>
            </dd>
          </>
        )}
        <dt>Asked by</dt>
        <dd>
          <From approval={shown} />
        </dd>
        {shown.askedAt !== undefined && (
          <>
            <dt>Asked</dt>
            <dd>
              <Ago at={shown.askedAt} />
            </dd>
          </>
        )}
        {shown.expiresAt !== undefined && (
          <>
            <dt>Until</dt>
            <dd class={isExpired ? "wrong" : undefined}>
              {renderTime(shown.expiresAt)} {isExpired ? "(expired)" : `(${renderDuration(left!)} left)`}
            </dd>
          </>
        )}
      </dl>
      {mode !== "change" && <Value label="Arguments" isLiteral value={shown.arguments} />}
      {mode === "change" && (
        <>
          <ArgumentsEditor
            schema={shown.inputSchema ?? { type: "object" }}
            value={changed}
            onChange={setChanged}
            onMistake={setMistake}
            problems={problems}
          />
          <h3>What changes</h3>
          <Diff label="What changes" before={shown.arguments} after={changed} />
        </>
      )}
      {mode === "deny" && <TextField label="Reason, which the model reads" value={reason} onInput={setReason} isArea />}
      {isClient && !isReadOnly() && (
        <ArgumentsEditor
          schema={{ type: "object", properties: { result: {} }, required: ["result"] }}
          value={result}
          onChange={setResult}
          onMistake={setMistake}
          problems={problems}
        />
      )}
      {input !== undefined && (
        <>
          <Value label="Question" isLiteral value={input.asks} />
          {!isReadOnly() && (
            <ArgumentsEditor
              schema={{ type: "object", properties: { reply: input.accepts }, required: ["reply"] }}
              value={result}
              onChange={setResult}
              onMistake={setMistake}
              problems={problems}
            />
          )}
        </>
      )}
      <Problem>{problems.size === 0 ? problem : undefined}</Problem>
      {!isReadOnly() && (
        <div class="row">
          {input !== undefined ? (
            <>
              <Button
                type="button"
                class="main"
                isDisabled={isStopped || mistake !== undefined}
                onClick={() => answer({ _tag: "Reply", value: (result as { readonly reply?: unknown })?.reply })}
              >
                Send the reply
              </Button>
              <Button
                type="button"
                class="danger"
                isDisabled={isStopped}
                onClick={() => answer({ _tag: "Deny", reason: "A person denied the call." })}
              >
                Deny
              </Button>
            </>
          ) : isClient ? (
            <Button
              type="button"
              class="main"
              isDisabled={isStopped || mistake !== undefined}
              onClick={() => answer({ _tag: "Result", value: (result as { readonly result?: unknown })?.result })}
            >
              Send the result
            </Button>
          ) : mode === "approve" ? (
            <>
              <Button
                type="button"
                class={shown.facts.isDestructive ? "main danger" : "main"}
                isDisabled={isStopped}
                onClick={() => answer({ _tag: "Approve" })}
              >
                Approve
              </Button>
              <Button type="button" isDisabled={isStopped} onClick={() => setMode("change")}>
                Change
              </Button>
              <Button type="button" isDisabled={isStopped} onClick={() => setMode("deny")}>
                Deny
              </Button>
            </>
          ) : mode === "change" ? (
            <Button
              type="button"
              class={shown.facts.isDestructive ? "main danger" : "main"}
              isDisabled={isStopped || mistake !== undefined}
              onClick={() => answer({ _tag: "ApproveWith", arguments: changed as Record<string, unknown> })}
            >
              Approve with changes
            </Button>
          ) : (
            <Button
              type="button"
              class="main"
              isDisabled={isStopped}
              onClick={() => answer({ _tag: "Deny", reason: reason === "" ? "A person denied the call." : reason })}
            >
              Deny
            </Button>
          )}
          {mode !== "approve" && (
            <button type="button" onClick={() => setMode("approve")}>
              Cancel
            </button>
          )}
          {isBusy && <span class="quiet busy">Sending…</span>}
        </div>
      )}
      <details class="small">
        <summary class="quiet">What the answer is for</summary>
        <p class="hint">
          For exactly this call: if it changes meanwhile, the answer is refused. Its digest is{" "}
          <code title={shown.digest}>{shown.digest.slice(0, 16)}</code>.
        </p>
      </details>
    </article>
  )
}

/** A call that was answered: how, by whom, what was changed, and what came of it. */
export const DecisionCard = ({
  decision,
  isInSection = false
}: {
  readonly decision: Api.Decision
  /** Whether its title is below that of a section. */
  readonly isInSection?: boolean
}) => {
  const Title = isInSection ? "h3" : "h2"
  const id = useId()
  const { answer, at, conversation, outcome, run } = decision
  const { by, call, reason, reply, value, why } = answer
  return (
    <article class="panel decision" aria-labelledby={id} tabIndex={-1}>
      <header class="row apart">
        <Title id={id}>
          <Text>{call.name}</Text> <span class="quiet">{replies[reply].toLowerCase()}</span>
        </Title>
        {outcome === undefined ? <span class="tag">{replies[reply]}</span> : <OutcomeTag outcome={outcome} />}
      </header>
      <p class="quiet small">
        <Ago at={at} /> by <Text>{by.who}</Text>
        {by.way !== undefined && by.way !== "studio" && (
          <>
            {" "}
            (<Text>{by.way}</Text>)
          </>
        )}
        {why !== undefined && (
          <>
            {" "}
            · asked because <Text>{why}</Text>
          </>
        )}
      </p>
      {reason !== undefined && (
        <p>
          Reason: <Text>{reason}</Text>
        </p>
      )}
      {reply === "ApproveWith" && call.arguments !== undefined && value !== undefined ? (
        <Diff label="What was changed" before={call.arguments} after={value} />
      ) : (
        call.arguments !== undefined && <Value label="Arguments" value={call.arguments} />
      )}
      {(reply === "Result" || reply === "Reply") && value !== undefined && <Value label="Sent" value={value} />}
      {outcome?.text !== undefined && <Value label="What came of it" value={outcome.text} exact="Exact text" />}
      {(run !== undefined || conversation !== undefined) && (
        <p class="row">
          {run !== undefined && <a href={addressOfPage("runs", run, call.id)}>See the run</a>}
          {conversation !== undefined && <a href={addressOfPage("conversations", conversation)}>Conversation</a>}
        </p>
      )}
    </article>
  )
}
