/** Conversations: search, read, go on, fork. */
import { useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { Ago } from "../parts/Ago.js"
import { Emptiness, Problem, Search, Split, useAction, useShown } from "../parts/Controls.js"
import { MissingToolset } from "../parts/DeletedToolset.js"
import { Entries } from "../parts/Messages.js"
import { Text } from "../parts/Text.js"
import { count } from "../parts/time.js"
import { VirtualList } from "../parts/VirtualList.js"
import { get, post, segment } from "../state/http.js"
import { addressOfPage, go } from "../state/route.js"
import { about, type ConversationList, conversations, isReadOnly, query, versions } from "../state/store.js"
import { useLoaded } from "../state/useLoaded.js"

interface Detail {
  readonly conversation: Api.Conversation
  readonly entries: ReadonlyArray<Api.Entry>
}

const ConversationView = ({ id }: { readonly id: string }) => {
  const { error, value } = useLoaded<Detail>(`conversations/${segment(id)}`, versions.conversations)
  const { problem, run } = useAction()
  if (value === undefined) {
    return (
      <Emptiness isLoading={error === undefined} error={error}>
        {null}
      </Emptiness>
    )
  }
  const { conversation, entries } = value
  const goOn = (model: Api.Session["model"]) =>
    run(async () => {
      const session = await post<Api.Session>("playground", { model, conversation: id })
      go("playground", session.id)
    })
  const fork = (at: string) =>
    run(async () => {
      const made = await post<Api.Conversation>(`conversations/${segment(id)}/fork`, { at })
      go("conversations", made.id)
    })
  return (
    <div class="column">
      <header class="stack">
        <h1>
          <Text>{conversation.title ?? "Without a word"}</Text>
        </h1>
        <p class="quiet">
          {count(conversation.length, "entry", "entries")} · changed <Ago at={conversation.changedAt} />
          {conversation.waiting > 0 && (
            <>
              {" · "}
              <a href={addressOfPage("approvals")}>{count(conversation.waiting, "call waits", "calls wait")}</a>
            </>
          )}
        </p>
        {!isReadOnly() && (
          <div class="row">
            {about.use()?.parts.agent === true && (
              <button type="button" class="main" onClick={() => goOn("agent")}>
                Go on
              </button>
            )}
            <button type="button" onClick={() => goOn("scripted")}>
              Go on with a script
            </button>
          </div>
        )}
        <Problem>{problem}</Problem>
        <MissingToolset id={id} />
      </header>
      <div class="messages">
        <Entries
          entries={entries}
          renderAction={
            isReadOnly()
              ? () => null
              : (entry) => (
                  <button type="button" class="plain" onClick={() => fork(entry.id)}>
                    Fork here
                  </button>
                )
          }
        />
      </div>
    </div>
  )
}

export const ConversationsPage = () => {
  const page = conversations.use()
  const [more, setMore] = useState<{
    readonly after: ConversationList
    readonly list: ReadonlyArray<Api.Conversation>
    readonly next: string | undefined
  }>()
  const { problem, run } = useAction()
  const isContinued = more !== undefined && more.after === page
  const list = page === undefined ? [] : [...page.conversations, ...(isContinued ? more.list : [])]
  const next = isContinued ? more.next : page?.next
  const selected = useShown(list.map(({ id }) => id))
  const loadMore = () =>
    run(async () => {
      const path = `conversations?query=${segment(query.value)}&from=${segment(next!)}`
      const fresh = await get<ConversationList>(path)
      setMore({
        after: page!,
        list: [...(isContinued ? more.list : []), ...fresh.conversations],
        next: fresh.next
      })
    })
  return (
    <Split
      title="Conversations"
      page="conversations"
      side={
        <>
          <header>
            <h2>Conversations</h2>
            <Search label="Search conversations" value={query.value} onInput={(text) => (query.value = text)} />
            <Problem>{problem}</Problem>
          </header>
          {list.length === 0 ? (
            <Emptiness isLoading={page === undefined} error={conversations.error.value}>
              {query.value === "" ? "There is no conversation yet." : "No conversation has these words."}
            </Emptiness>
          ) : (
            <VirtualList
              label="Conversations"
              count={list.length}
              rowHeight={56}
              selected={list.findIndex(({ id }) => id === selected)}
              onOpen={(index) => go("conversations", list[index]!.id)}
              keyOf={(index) => list[index]!.id}
              row={(index) => {
                const { changedAt, length, title, waiting } = list[index]!
                return {
                  content: (
                    <>
                      <span class="name spread">
                        <Text>{title ?? "Without a word"}</Text>
                        {waiting > 0 && <span class="tag warn">waits</span>}
                      </span>
                      <span class="quiet small">
                        <Ago at={changedAt} /> · {count(length, "entry", "entries")}
                      </span>
                    </>
                  )
                }
              }}
            />
          )}
          {next !== undefined && (
            <p class="more">
              <button type="button" onClick={loadMore}>
                Show more
              </button>
            </p>
          )}
        </>
      }
    >
      {selected === undefined ? (
        <div class="empty">Choose a conversation to read it, or to go on with it.</div>
      ) : (
        <ConversationView key={selected} id={selected} />
      )}
    </Split>
  )
}
