/** Every tool: what a model gets of it, why it is not on offer, and a call by hand. */
import { useEffect, useMemo, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { ArgumentsEditor } from "../form/ArgumentsEditor.js"
import { initialOf } from "../form/schema.js"
import { problemsOf } from "../form/problems.js"
import type { Problems } from "../form/SchemaForm.js"
import { ConversationSelect } from "../parts/ConversationSelect.js"
import { Button, Emptiness, Problem, Search, Split, useAction, useShown } from "../parts/Controls.js"
import { OutcomeView } from "../parts/OutcomeView.js"
import { Json, Text } from "../parts/Text.js"
import { count, renderDuration } from "../parts/time.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import { get, post, segment } from "../state/http.js"
import { addressOfPage, go } from "../state/route.js"
import { conversation, isReadOnly, template, tools, versions } from "../state/store.js"
import { useLoaded } from "../state/useLoaded.js"

const noProblems: Problems = new Map()

type Answer =
  | { readonly kind: "called"; readonly called: Api.Called }
  | { readonly kind: "previewed"; readonly previewed: Api.Previewed }

const issuesOfAnswer = (answer: Answer | undefined): ReadonlyArray<Api.Issue> => {
  if (answer === undefined) return []
  if (answer.kind === "called") return answer.called.outcome.issues ?? []
  return answer.previewed._tag === "Ended" ? (answer.previewed.outcome.issues ?? []) : []
}

const Previewed = ({ previewed }: { readonly previewed: Api.Previewed }) =>
  previewed._tag === "Allow" ? (
    <p>
      <span class="tag good">Allow</span> The call would run. Nothing was run.
    </p>
  ) : (
    <>
      <p class="quiet">Nothing was run. The call would end so:</p>
      <OutcomeView outcome={previewed.outcome} />
    </>
  )

const TryIt = ({ tool }: { readonly tool: Api.ToolDetail }) => {
  const [value, setValue] = useState<unknown>(() =>
    template.peek()?.tool === tool.name
      ? template.peek()!.arguments
      : (initialOf(tool.inputSchema, tool.inputSchema) ?? {})
  )
  useEffect(() => void (template.value = undefined), [])
  const [mistake, setMistake] = useState<string>()
  const [answer, setAnswer] = useState<Answer>()
  const { isBusy, problem, run } = useAction()
  const problems = useMemo(() => (answer === undefined ? noProblems : problemsOf(issuesOfAnswer(answer))), [answer])
  const request = (): Api.CallRequest => ({
    arguments: value ?? {},
    ...(conversation.value === undefined ? {} : { conversation: conversation.value })
  })
  const preview = () =>
    run(async () => {
      const previewed = await post<Api.Previewed>(`tools/${segment(tool.name)}/preview`, request())
      setAnswer({ kind: "previewed", previewed })
    })
  const call = () =>
    run(async () => {
      const called = await post<Api.Called>(`tools/${segment(tool.name)}/call`, request())
      setAnswer({ kind: "called", called })
    })
  const isStopped = isBusy || mistake !== undefined
  return (
    <section class="stack" aria-label="Try it">
      <h2>Try it</h2>
      {tool.facts.examples.length > 0 && (
        <p class="row">
          <span class="quiet">Fill in</span>
          {tool.facts.examples.map((example, index) => (
            <button key={index} type="button" onClick={() => setValue(example)}>
              Example {index + 1}
            </button>
          ))}
        </p>
      )}
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isStopped) void (isReadOnly() ? preview() : call())
        }}
      >
        <ArgumentsEditor
          schema={tool.inputSchema}
          value={value}
          onChange={setValue}
          onMistake={setMistake}
          problems={problems}
        />
        {tool.hidden.length > 0 && (
          <p class="hint">
            The program supplies <Text>{tool.hidden.join(", ")}</Text>.
          </p>
        )}
        <div class="row">
          {!isReadOnly() && (
            <Button type="submit" class={tool.facts.isDestructive ? "main danger" : "main"} isDisabled={isStopped}>
              Call
            </Button>
          )}
          <Button isDisabled={isStopped} onClick={() => void preview()}>
            Preview
          </Button>
          {tool.facts.isDestructive && <span class="wrong small">It may destroy something.</span>}
          {isBusy && <span class="quiet busy">Running…</span>}
        </div>
      </form>
      <div role="status">
        <Problem>{problem}</Problem>
        {answer?.kind === "previewed" && <Previewed previewed={answer.previewed} />}
        {answer?.kind === "called" && (
          <div class="stack">
            <OutcomeView outcome={answer.called.outcome} milliseconds={answer.called.milliseconds} />
            <p class="row">
              {answer.called.approval !== undefined && (
                <a href={addressOfPage("approvals", answer.called.approval)}>Answer it</a>
              )}
              <a href={addressOfPage("runs", answer.called.run)}>See the run</a>
            </p>
          </div>
        )}
      </div>
    </section>
  )
}

const Wires = ({ wires }: { readonly wires: ReadonlyArray<Api.Wire> }) => {
  const [format, setFormat] = useState(wires[0]?.format)
  const wire = wires.find((one) => one.format === format) ?? wires[0]
  if (wire === undefined) return null
  return (
    <section class="stack" aria-label="As providers get it">
      <h2>As providers get it</h2>
      <div class="row">
        <select
          aria-label="Provider"
          class="narrow"
          value={wire.format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value)}
        >
          {wires.map((one) => (
            <option key={one.format} value={one.format}>
              {one.title}
              {one.losses.length > 0 ? ` (${count(one.losses.length, "loss", "losses")})` : ""}
            </option>
          ))}
        </select>
        <span class="quiet">about {wire.tokens} tokens</span>
      </div>
      {wire.losses.length > 0 && (
        <div class="notice notice-warn">
          <p>This provider does not get:</p>
          <ul>
            {wire.losses.map(({ keyword, path, reason }, index) => (
              <li key={index}>
                <code>
                  <Text>{[...path, keyword].join(".")}</Text>
                </code>{" "}
                <Text>{reason}</Text>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Json label={`The definition for ${wire.title}`} value={wire.body} />
    </section>
  )
}

const factWords = (facts: Api.Facts): ReadonlyArray<string> => [
  facts.isReadOnly ? "only reads" : "may write",
  ...(facts.isDestructive ? ["may destroy"] : []),
  ...(facts.isIdempotent ? ["safe to repeat"] : []),
  ...(facts.isOpenWorld ? ["reaches the outside world"] : []),
  ...(facts.isSequential ? ["one call at a time"] : [])
]

const Details = ({ tool }: { readonly tool: Api.ToolDetail }) => {
  const { limits } = tool.policy
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Source", tool.source],
    ["Approval", tool.policy.hasApprovalRule ? "a rule decides on each call" : "none needed"],
    ["Time limit", limits.timeout === undefined ? undefined : renderDuration(limits.timeout)],
    ["At once", limits.concurrency === undefined ? undefined : count(limits.concurrency, "call")],
    [
      "Rate",
      limits.rate === undefined
        ? undefined
        : `${count(limits.rate.calls, "call")} in ${renderDuration(limits.rate.window)}`
    ],
    ["Retried", limits.isRetried ? "yes" : undefined],
    ["Kept", limits.cache === undefined ? undefined : renderDuration(limits.cache)],
    ["Result bound", tool.policy.resultBound === undefined ? undefined : count(tool.policy.resultBound, "byte")],
    ["Version", `${tool.fingerprint.slice(0, 16)}, another one with each change of the definition`]
  ]
  return (
    <section class="stack" aria-label="Facts">
      <h2>Facts</h2>
      <p class="row">
        {factWords(tool.facts).map((word) => (
          <span key={word} class={word === "may destroy" ? "tag wrong" : "tag"}>
            {word}
          </span>
        ))}
      </p>
      <dl class="facts">
        {rows.flatMap(([name, value]) =>
          value === undefined
            ? []
            : [
                <dt key={name}>{name}</dt>,
                <dd key={`${name}=`}>
                  <Text>{value}</Text>
                </dd>
              ]
        )}
      </dl>
      <details>
        <summary>Schema of the arguments</summary>
        <Json label="Schema of the arguments" value={tool.inputSchema} />
      </details>
      {tool.outputSchema !== undefined && (
        <details>
          <summary>Schema of the result</summary>
          <Json label="Schema of the result" value={tool.outputSchema} />
        </details>
      )}
    </section>
  )
}

const NotOffered = ({ why }: { readonly why: NonNullable<Api.Tool["notOffered"]> }) => (
  <div class="notice notice-warn">
    <p>
      Not on offer: <Text>{why.reason}</Text>
    </p>
    {why.toolsets.length > 0 && (
      <p>
        It is in{" "}
        {why.toolsets.map((name, index) => (
          <span key={name}>
            {index > 0 && ", "}
            <a href={addressOfPage("toolsets", name)}>
              <Text>{name}</Text>
            </a>
          </span>
        ))}
        .
      </p>
    )}
  </div>
)

const ToolView = ({ name }: { readonly name: string }) => {
  const suffix = conversation.value === undefined ? "" : `?conversation=${segment(conversation.value)}`
  const { error, value: found } = useLoaded<Api.ToolDetail>(`tools/${segment(name)}${suffix}`, versions.tools)
  if (found === undefined) {
    return (
      <Emptiness isLoading={error === undefined} error={error}>
        {null}
      </Emptiness>
    )
  }
  return (
    <div class="column">
      <header class="stack">
        <h1>
          <Text>{found.name}</Text>
        </h1>
        {found.facts.title !== undefined && (
          <p class="quiet">
            <Text>{found.facts.title}</Text>
          </p>
        )}
        <p class="prose">
          <Text>{found.description ?? "No description."}</Text>
        </p>
        {found.notOffered !== undefined && <NotOffered why={found.notOffered} />}
      </header>
      <TryIt key={found.name} tool={found} />
      <Wires wires={found.wires} />
      <Details tool={found} />
    </div>
  )
}

const none: ReadonlyArray<string> = []

/** The names of the tools that fit, as a model's search ranks them; none until they are known. */
const useRanked = (search: string): ReadonlyArray<string> => {
  const [ranked, setRanked] = useState<{ readonly search: string; readonly names: ReadonlyArray<string> }>()
  const version = versions.tools.value
  useEffect(() => {
    if (search.trim() === "") return
    let isLast = true
    const timer = setTimeout(() => {
      get<{ readonly tools: ReadonlyArray<Api.Tool> }>(`tools?search=${encodeURIComponent(search)}`).then(
        ({ tools }) => isLast && setRanked({ search, names: tools.map(({ name }) => name) }),
        // The letters find what they find.
        () => {}
      )
    }, 150)
    return () => {
      isLast = false
      clearTimeout(timer)
    }
  }, [search, version])
  return ranked?.search === search ? ranked.names : none
}

export const ToolsPage = () => {
  const [search, setSearch] = useState("")
  const list = tools.use()?.tools
  const ranked = useRanked(search)
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const byName = new Map((list ?? []).map((tool) => [tool.name, tool]))
    const first = ranked.flatMap((name) => byName.get(name) ?? [])
    const isFirst = new Set(ranked)
    // Of a word that is not written out yet, only its letters are known.
    const others = (list ?? []).filter(({ description = "", name, source = "" }) => {
      const text = `${name} ${description} ${source}`.toLowerCase()
      return !isFirst.has(name) && words.every((word) => text.includes(word))
    })
    return [...first, ...others]
  }, [list, ranked, search])
  const selected = useShown(found.map(({ name }) => name))
  return (
    <Split
      title="Tools"
      page="tools"
      side={
        <>
          <header>
            <h2>
              Tools <span class="quiet">{found.length}</span>
            </h2>
            <Search label="Search tools" value={search} onInput={setSearch} />
            <ConversationSelect label="On offer in" />
          </header>
          {found.length === 0 ? (
            <Emptiness isLoading={list === undefined} error={tools.error.value}>
              {search === "" ? "The program has no tools." : "No tool has these words."}
            </Emptiness>
          ) : (
            <VirtualList
              label="Tools"
              count={found.length}
              rowHeight={56}
              selected={found.findIndex(({ name }) => name === selected)}
              onOpen={(index) => go("tools", found[index]!.name)}
              keyOf={(index) => found[index]!.name}
              row={(index) => {
                const { description, isOffered, name } = found[index]!
                return {
                  content: (
                    <>
                      <span class="name">
                        <Text>{name}</Text>
                        {!isOffered && <span class="quiet small"> not on offer</span>}
                      </span>
                      <span class="quiet small">{showHidden((description ?? "No description").slice(0, 120))}</span>
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
        <div class="empty">Choose a tool to see what a model gets of it, and to call it.</div>
      ) : (
        <ToolView key={selected} name={selected} />
      )}
    </Split>
  )
}
