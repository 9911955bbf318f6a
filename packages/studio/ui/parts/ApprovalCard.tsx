/** One call that waits: what is asked, by whom, until when; and the answer, which names the digest shown. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { ArgumentsEditor } from "../form/ArgumentsEditor.js"
import type { Problems } from "../form/SchemaForm.js"
import { problemsOf } from "../form/problems.js"
import { post, segment } from "../state/http.js"
import { addressOfPage } from "../state/route.js"
import { announcement, approvals, isReadOnly, issuesOf } from "../state/store.js"
import { Button, Problem, TextField, useAction } from "./Controls.js"
import { Diff } from "./Diff.js"
import { Json, Text } from "./Text.js"
import { renderDuration, renderTime } from "./time.js"

const askers: { readonly [Kind in Api.Approval["from"]["kind"]]: string } = {
  playground: "a chat in the playground",
  call: "a call by hand",
  agent: "an agent",
  store: "a stored conversation"
}

type Mode = "approve" | "change" | "deny"

const From = ({ approval: { from } }: { readonly approval: Api.Approval }) => (
  <>
    {askers[from.kind]}
    {(from.kind === "agent" || from.kind === "store") && (
      <>
        {" "}
        <Text>{from.name}</Text>
      </>
    )}
    {from.run !== undefined && (
      <>
        {" · "}
        <a href={addressOfPage("runs", from.run)}>run</a>
      </>
    )}
    {from.conversation !== undefined && (
      <>
        {" · "}
        <a href={addressOfPage("conversations", from.conversation)}>conversation</a>
      </>
    )}
  </>
)

const words: { readonly [Tag in Api.Reply["_tag"]]: string } = {
  Approve: "Approved",
  ApproveWith: "Approved with changes",
  Deny: "Denied",
  Result: "Result sent",
  Reply: "Reply sent"
}

const waits: { readonly [Kind in Api.Approval["waitsFor"]]: string } = {
  approval: "asks for approval",
  client: "waits for a result",
  input: "asks for input"
}

interface CardProps {
  readonly approval: Api.Approval
  readonly now: number
  readonly isChosen?: boolean
}

/** Another call under the same id is another card: what was filled in for the one is no answer to the other. */
export const ApprovalCard = (props: CardProps) => <Card key={props.approval.id} {...props} />

const Card = ({ approval: shown, isChosen = false, now }: CardProps) => {
  const id = useId()
  const card = useRef<HTMLElement>(null)
  const [mode, setMode] = useState<Mode>("approve")
  const [changed, setChanged] = useState<unknown>(shown.arguments)
  const [reason, setReason] = useState("")
  const [result, setResult] = useState<unknown>()
  const [mistake, setMistake] = useState<string>()
  const [problems, setProblems] = useState<Problems>(new Map())
  const { isBusy, problem, run } = useAction()
  useLayoutEffect(() => {
    // The page as a whole has the focus as long as the user has not moved it.
    const isFree = document.activeElement === document.body || document.activeElement?.localName === "main"
    if (isChosen && isFree) card.current!.focus()
  }, [isChosen])
  const answer = (reply: Api.Reply) =>
    run(async () => {
      try {
        const body: Api.ApprovalAnswer = { digest: shown.digest, reply }
        await post<Api.Answered>(`approvals/${segment(shown.id)}`, body)
        announcement.value = `${words[reply._tag]}: ${shown.tool}`
        setProblems(new Map())
      } catch (cause) {
        setProblems(problemsOf(issuesOf(cause)))
        throw cause
      } finally {
        approvals.reload()
      }
    })
  const { input } = shown
  const isClient = shown.waitsFor === "client"
  const isApproval = shown.waitsFor === "approval"
  const left = shown.expiresAt === undefined ? undefined : shown.expiresAt - now
  const isExpired = left !== undefined && left <= 0
  const isStopped = isBusy || isReadOnly() || isExpired
  return (
    <article ref={card} class="panel approval" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header class="stack tight">
        <h2 id={`${id}-title`}>
          <Text>{shown.tool}</Text> <span class="quiet">{waits[shown.waitsFor]}</span>
        </h2>
        {shown.why !== undefined && (
          <p class="prose">
            <Text>{shown.why}</Text>
          </p>
        )}
        {shown.facts.isDestructive && <p class="wrong">The tool may destroy something.</p>}
      </header>
      <dl class="facts">
        <dt>Asked by</dt>
        <dd>
          <From approval={shown} />
        </dd>
        {shown.askedAt !== undefined && (
          <>
            <dt>Asked at</dt>
            <dd>{renderTime(shown.askedAt)}</dd>
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
        <dt>Digest</dt>
        <dd>
          <code title={shown.digest}>{shown.digest.slice(0, 16)}</code>
        </dd>
      </dl>
      {isApproval && !isReadOnly() && (
        <div class="segments" role="group" aria-label="Answer">
          {(["approve", "change", "deny"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={mode === one} onClick={() => setMode(one)}>
              {one === "approve" ? "As asked" : one === "change" ? "Change" : "Deny"}
            </button>
          ))}
        </div>
      )}
      {mode !== "change" && <Json label="Arguments" value={shown.arguments} />}
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
          <Json label="Question" value={input.asks} />
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
      <Problem>{problem}</Problem>
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
            <Button type="button" class="main" isDisabled={isStopped} onClick={() => answer({ _tag: "Approve" })}>
              Approve
            </Button>
          ) : mode === "change" ? (
            <Button
              type="button"
              class="main"
              isDisabled={isStopped || mistake !== undefined}
              onClick={() => answer({ _tag: "ApproveWith", arguments: changed as Record<string, unknown> })}
            >
              Approve with changes
            </Button>
          ) : (
            <Button
              type="button"
              class="danger"
              isDisabled={isStopped}
              onClick={() => answer({ _tag: "Deny", reason: reason === "" ? "A person denied the call." : reason })}
            >
              Deny
            </Button>
          )}
          {isBusy && <span class="quiet busy">Sending…</span>}
        </div>
      )}
    </article>
  )
}
