/** A chat with a model, or with a script, that uses the tools as they are now. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { Ago } from "../parts/Ago.js"
import { ApprovalCard } from "../parts/ApprovalCard.js"
import { conversationOption } from "../parts/ConversationSelect.js"
import { Button, Emptiness, Problem, Split, useAction } from "../parts/Controls.js"
import { MissingToolset } from "../parts/DeletedToolset.js"
import { Entries, LiveTurns } from "../parts/Messages.js"
import { StateTag } from "../parts/OutcomeView.js"
import { Text } from "../parts/Text.js"
import { makeTree } from "../parts/tree.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import type { State } from "../parts/words.js"
import { post, segment } from "../state/http.js"
import { addressOfPage, chosen, go } from "../state/route.js"
import {
  about,
  approvals,
  conversation,
  conversations,
  isReadOnly,
  sessions,
  template,
  tools,
  versions
} from "../state/store.js"
import { useLoaded } from "../state/useLoaded.js"
import { useRun } from "../state/useRun.js"

/** A part of what a scripted model will say; `text` holds arguments as JSON where it calls a tool. */
interface ScriptLine {
  readonly tool: string
  readonly text: string
  readonly isInSameTurn: boolean
}

const partOf = ({ text, tool }: ScriptLine): Api.ScriptedPart => {
  if (tool === "") return { _tag: "Text", text }
  let args: unknown = text
  try {
    args = JSON.parse(text === "" ? "{}" : text)
  } catch {
    // A model may send what is no JSON: the tool's runner answers that.
  }
  return { _tag: "Call", name: tool, arguments: args }
}

const scriptOf = (lines: ReadonlyArray<ScriptLine>): ReadonlyArray<ReadonlyArray<Api.ScriptedPart>> => {
  const turns: Array<Array<Api.ScriptedPart>> = []
  for (const line of lines) {
    const turn = turns.at(-1)
    if (line.isInSameTurn && turn !== undefined) turn.push(partOf(line))
    else turns.push([partOf(line)])
  }
  return turns
}

const ScriptEditor = ({
  lines,
  onChange
}: {
  readonly lines: ReadonlyArray<ScriptLine>
  readonly onChange: (lines: ReadonlyArray<ScriptLine>) => void
}) => {
  const list = tools.use()?.tools ?? []
  const set = (index: number, change: Partial<ScriptLine>): void =>
    onChange(lines.with(index, { ...lines[index]!, ...change }))
  return (
    <fieldset>
      <legend>The model will say</legend>
      {lines.map(({ isInSameTurn, text, tool }, index) => (
        <div key={index} class="script-line">
          <select
            aria-label={`Part ${index + 1}: text or a tool`}
            value={tool}
            onChange={({ currentTarget }) => set(index, { tool: currentTarget.value })}
          >
            <option value="">Text</option>
            {list.map(({ name }) => (
              <option key={name} value={name}>
                call {showHidden(name)}
              </option>
            ))}
          </select>
          <textarea
            aria-label={tool === "" ? `Part ${index + 1}: text` : `Part ${index + 1}: arguments as JSON`}
            class={tool === "" ? undefined : "code"}
            rows={1}
            value={text}
            placeholder={tool === "" ? "What it answers" : "{}"}
            onInput={({ currentTarget }) => set(index, { text: currentTarget.value })}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove part ${index + 1}`}
            onClick={() => onChange(lines.toSpliced(index, 1))}
          >
            Remove
          </button>
          {index > 0 && (
            <label class="check small">
              <input
                type="checkbox"
                checked={isInSameTurn}
                onChange={({ currentTarget }) => set(index, { isInSameTurn: currentTarget.checked })}
              />
              in the same turn
            </label>
          )}
        </div>
      ))}
      <button type="button" onClick={() => onChange([...lines, emptyLine])}>
        Add a part
      </button>
    </fieldset>
  )
}

const emptyLine: ScriptLine = { tool: "", text: "", isInSameTurn: false }

const Composer = ({ session }: { readonly session: Api.Session }) => {
  const [text, setText] = useState("")
  const [lines, setLines] = useState<ReadonlyArray<ScriptLine>>(() => {
    const call = session.model === "scripted" ? template.peek() : undefined
    if (call === undefined) return [emptyLine]
    const { arguments: args, tool } = call
    return [{ ...emptyLine, tool, text: typeof args === "string" ? args : JSON.stringify(args ?? {}) }]
  })
  useEffect(() => void (template.value = undefined), [])
  const { isBusy, problem, run } = useAction()
  const path = `playground/${segment(session.id)}`
  const isScripted = session.model === "scripted"
  const isRunning = session.status === "running"
  const submit = () =>
    run(async () => {
      const script = isScripted ? scriptOf(lines.filter((line) => line.tool !== "" || line.text !== "")) : []
      const prompt: Api.Prompt = {
        ...(text.trim() === "" ? {} : { prompt: text }),
        ...(script.length === 0 ? {} : { script })
      }
      await post<Api.Session>(`${path}/prompt`, prompt)
      setText("")
      if (isScripted) setLines([emptyLine])
      sessions.reload()
    })
  const stop = () =>
    run(async () => {
      await post<Api.Session>(`${path}/stop`, undefined)
      sessions.reload()
    })
  const canSend = !isBusy && !isRunning
  return (
    <form
      class="composer"
      tabIndex={-1}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) void submit()
      }}
    >
      <textarea
        aria-label="Message"
        rows={1}
        placeholder="Message"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
          event.preventDefault()
          if (canSend) void submit()
        }}
      />
      {isScripted && <ScriptEditor lines={lines} onChange={setLines} />}
      <Problem>{problem}</Problem>
      <div class="row">
        <Button type="submit" class="main" isDisabled={!canSend}>
          Send
        </Button>
        {isRunning && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        <span class="quiet small">
          {isRunning ? (
            "Running…"
          ) : (
            <span class="keys">
              <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> breaks the line
            </span>
          )}
          {session.left > 0 && ` · ${session.left} scripted turns are left`}
        </span>
      </div>
    </form>
  )
}

/** A chat is called by the first thing that a person said in it. */
const titleOf = ({ title }: Api.Session): string => title ?? "New chat"

const statuses: { readonly [Status in Api.Session["status"]]: State } = {
  idle: { word: "ready", tone: "" },
  running: { word: "running", tone: "on" },
  waiting: { word: "waits", tone: "warn" }
}

const Chat = ({ session }: { readonly session: Api.Session }) => {
  const { value } = useLoaded<{ readonly entries: ReadonlyArray<Api.Entry> }>(
    `conversations/${segment(session.conversation)}`,
    versions.conversations
  )
  const log = useRun(session.run)
  const version = log?.version.value
  const tree = useMemo(() => makeTree(log?.events ?? []), [log, version])
  const entries = value?.entries ?? []
  const written = useMemo(
    () =>
      new Set(
        entries.flatMap(({ id, parts }) => [id, ...parts.flatMap((part) => (part._tag === "Result" ? part.id : []))])
      ),
    [entries]
  )
  const waiting = (approvals.use()?.approvals ?? []).filter(({ from }) => from.conversation === session.conversation)
  const end = useRef<HTMLDivElement>(null)
  // The end stays in view as it moves on; a user who reads further up stays there.
  const isAtEnd = useRef(true)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => (isAtEnd.current = entry!.isIntersecting))
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (isAtEnd.current) end.current!.scrollIntoView({ block: "nearest" })
  }, [entries.length, version, waiting.length])
  const isPromptThere =
    tree.prompt === undefined ||
    entries.some(
      ({ role, parts }) => role === "user" && parts.some((part) => "text" in part && part.text === tree.prompt)
    )
  return (
    <div class="chat">
      <header class="row apart">
        <h1>
          <Text>{titleOf(session)}</Text>
        </h1>
        <span class="row small">
          <span class="tag">{session.model === "agent" ? (about.use()?.model ?? "model") : "script"}</span>
          {session.run !== undefined && <a href={addressOfPage("runs", session.run)}>Run</a>}
          {about.use()?.parts.toolsets === true && (
            <a href={addressOfPage("toolsets")} onClick={() => (conversation.value = session.conversation)}>
              Toolset
            </a>
          )}
        </span>
      </header>
      <MissingToolset id={session.conversation} />
      <div class="messages" role="log" aria-label="Messages" tabIndex={0}>
        {entries.length === 0 && tree.nodes.length === 0 && tree.prompt === undefined && (
          <p class="quiet">Say something. The model may call every tool that is on offer.</p>
        )}
        <Entries entries={entries} />
        {!isPromptThere && (
          <article class="message user" aria-label="You">
            <header>
              <h2>You</h2>
            </header>
            <p class="prose">
              <Text>{tree.prompt!}</Text>
            </p>
          </article>
        )}
        <LiveTurns tree={tree} written={written} run={session.run} />
        {waiting.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
        <div ref={end} />
      </div>
      {!isReadOnly() && <Composer session={session} />}
    </div>
  )
}

const NewChat = () => {
  const parts = about.use()?.parts
  const stored = conversations.use()?.conversations ?? []
  const [going, setGoing] = useState("")
  const { isBusy, problem, run } = useAction()
  const start = (model: Api.Session["model"]) =>
    run(async () => {
      const session = await post<Api.Session>("playground", {
        model,
        ...(going === "" ? {} : { conversation: going })
      })
      sessions.reload()
      go("playground", session.id)
    })
  if (isReadOnly()) return <div class="empty">Choose a chat to read it.</div>
  return (
    <div class="column">
      <h1>Begin a chat</h1>
      <p class="prose">
        Chat with the agent&apos;s model, or play the model yourself with a script: it needs no key, and calls the tools
        all the same.
      </p>
      <div class="field">
        <label for="going">Conversation</label>
        <select id="going" value={going} onChange={({ currentTarget }) => setGoing(currentTarget.value)}>
          <option value="">A new one</option>
          {stored.map((one) => (
            <option key={one.id} value={one.id}>
              {conversationOption(one)}
            </option>
          ))}
        </select>
      </div>
      <div class="row">
        {parts?.agent === true && (
          <Button class="main" isDisabled={isBusy} onClick={() => start("agent")}>
            Chat with the model
          </Button>
        )}
        <Button
          class={parts?.agent === true ? undefined : "main"}
          isDisabled={isBusy}
          onClick={() => start("scripted")}
        >
          Play a script
        </Button>
      </div>
      <Problem>{problem}</Problem>
    </div>
  )
}

export const PlaygroundPage = () => {
  const list = sessions.use()?.sessions
  const selected = chosen.value
  const session = list?.find(({ id }) => id === selected)
  return (
    <Split
      title="Chats"
      page="playground"
      side={
        <>
          <header>
            <div class="row apart">
              <h2>
                Chats <span class="quiet">{list?.length ?? 0}</span>
              </h2>
              <button type="button" onClick={() => go("playground", "new")}>
                New chat
              </button>
            </div>
          </header>
          {list === undefined || list.length === 0 ? (
            <Emptiness isLoading={list === undefined} error={sessions.error.value}>
              No chat yet.
            </Emptiness>
          ) : (
            <VirtualList
              label="Chats"
              count={list.length}
              rowHeight={56}
              selected={list.findIndex(({ id }) => id === selected)}
              onOpen={(index) => go("playground", list[index]!.id)}
              keyOf={(index) => list[index]!.id}
              row={(index) => {
                const one = list[index]!
                return {
                  content: (
                    <>
                      <span class="name spread">
                        <Text>{titleOf(one)}</Text>
                        {one.status !== "idle" && <StateTag state={statuses[one.status]} />}
                      </span>
                      <span class="quiet small">
                        <Ago at={one.changedAt} /> · {one.model === "agent" ? "model" : "script"}
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
      {session !== undefined ? (
        <Chat key={session.id} session={session} />
      ) : selected === undefined || selected === "new" ? (
        <NewChat />
      ) : (
        <Emptiness isLoading={list === undefined} error={sessions.error.value}>
          There is no chat of this name.
        </Emptiness>
      )}
    </Split>
  )
}
