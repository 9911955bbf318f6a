/** Toolsets: what is chosen here is a draft, and live in a conversation only when it is activated there. */
import { signal } from "@preact/signals"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type * as Api from "../../src/Api.js"
import { ConversationSelect } from "../parts/ConversationSelect.js"
import {
  Button,
  download,
  Emptiness,
  FileButton,
  Problem,
  Search,
  Split,
  TextField,
  useAction,
  useShown
} from "../parts/Controls.js"
import { DeletedToolset, reset, wayBack } from "../parts/DeletedToolset.js"
import { Dialog } from "../parts/Dialog.js"
import { Text } from "../parts/Text.js"
import { count } from "../parts/time.js"
import { showHidden } from "../parts/visible.js"
import { VirtualList } from "../parts/VirtualList.js"
import { getText, post, RequestError, segment, send } from "../state/http.js"
import { addressOfPage, go } from "../state/route.js"
import { announcement, conversation, isReadOnly, messageOf, toolsets } from "../state/store.js"

/** A changed choice, and the functions that the set had when it was changed first. */
interface Draft {
  readonly functions: ReadonlySet<string>
  readonly was: ReadonlyArray<string>
}

/** By the set's name. They stay while other sets are looked at. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map())

const setDraft = (name: string, draft: Draft | undefined): void => {
  const next = new Map(drafts.value)
  if (draft === undefined) next.delete(name)
  else next.set(name, draft)
  drafts.value = next
}

const isSame = (a: ReadonlySet<string>, b: ReadonlyArray<string>): boolean =>
  a.size === b.length && b.every((name) => a.has(name))

const emojiOf = ({ metadata }: Pick<Api.Toolset, "metadata">): string => {
  const { emoji } = metadata
  return typeof emoji === "string" ? [...showHidden(emoji)].slice(0, 4).join("") : ""
}

const kinds: { readonly [Type in Api.Toolset["type"]]: string } = {
  "built-in": "built in",
  module: "module",
  user: "yours",
  core: "of the application"
}

const emojis = [..."🧰🔧🔍📚📝🗂️📊🧪🛒💬🌍🏠🎵🎨🧠⚡🔒🚀"].filter((one) => one !== "\uFE0F")

/** A checkbox of a group: all, none, or some of its functions. */
const TriState = ({
  chosenCount,
  label,
  onChange,
  total
}: {
  readonly label: string
  readonly chosenCount: number
  readonly total: number
  readonly onChange: (isChecked: boolean) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  const isMixed = chosenCount > 0 && chosenCount < total
  useLayoutEffect(() => {
    input.current!.indeterminate = isMixed
  }, [isMixed])
  return (
    <input
      ref={input}
      type="checkbox"
      aria-label={`All of ${showHidden(label)}`}
      checked={total > 0 && chosenCount === total}
      disabled={total === 0}
      onChange={() => onChange(chosenCount < total)}
    />
  )
}

const Groups = ({
  draft,
  modules,
  onChange,
  search
}: {
  readonly draft: ReadonlySet<string>
  readonly modules: Api.Toolsets["modules"]
  readonly search: string
  readonly onChange: (functions: ReadonlySet<string>) => void
}) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const set = (names: ReadonlyArray<string>, isChecked: boolean): void => {
    const next = new Set(draft)
    for (const name of names) {
      if (isChecked) next.add(name)
      else next.delete(name)
    }
    onChange(next)
  }
  const shown = modules.flatMap(({ functions, name }) => {
    const found = functions.filter((one) => fits(`${name} ${one.name} ${one.description ?? ""}`))
    return found.length === 0 ? [] : [{ name, functions, found }]
  })
  if (shown.length === 0) return <p class="quiet">No tool has these words.</p>
  return (
    <>
      {shown.map(({ found, functions, name }) => {
        const names = functions.map((one) => one.name)
        const chosenCount = names.filter((one) => draft.has(one)).length
        const title = name === "" ? "Other tools" : name
        return (
          <div key={name} class="group">
            <TriState
              label={title}
              chosenCount={chosenCount}
              total={names.length}
              onChange={(isChecked) => set(names, isChecked)}
            />
            <details open>
              <summary>
                <Text>{title}</Text>{" "}
                <span class="quiet">
                  {chosenCount}/{names.length}
                </span>
              </summary>
              <ul>
                {found.map((one) => (
                  <li key={one.name}>
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={draft.has(one.name)}
                        onChange={({ currentTarget }) => set([one.name], currentTarget.checked)}
                      />
                      <span>
                        <code>
                          <Text>{one.name}</Text>
                        </code>
                        {one.description !== undefined && (
                          <span class="quiet small block">
                            <Text>{one.description.slice(0, 100)}</Text>
                          </span>
                        )}
                      </span>
                    </label>
                  </li>
                ))}
              </ul>
            </details>
          </div>
        )
      })}
    </>
  )
}

/** The set that a new one begins as: without functions, under a name that is still to be given. */
const unnamed: Api.Toolset = {
  name: "",
  type: "user",
  functions: [],
  enabled: 0,
  total: 0,
  missing: [],
  status: "ok",
  metadata: {},
  isOverriding: false
}

type Question = "save" | "copy" | "rename" | "delete" | "none" | "emoji"

/** The dialogs of one set. */
const Questions = ({
  functions,
  onClose,
  question,
  set
}: {
  readonly question: Question
  readonly set: Api.Toolset
  readonly functions: ReadonlyArray<string>
  readonly onClose: () => void
}) => {
  const [name, setName] = useState(question === "rename" ? set.name : question === "copy" ? `${set.name} copy` : "")
  const [emoji, setEmoji] = useState(emojiOf(set))
  const [problem, setProblem] = useState<string>()
  const [isTaken, setIsTaken] = useState(false)
  const { run } = useAction()
  const path = `toolsets/${segment(set.name)}`
  const finish = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action()
      await toolsets.load()
      onClose()
    } catch (cause) {
      setIsTaken(cause instanceof RequestError && cause.status === 409)
      setProblem(messageOf(cause))
    }
  }
  const save = (as: string, metadata: Api.Toolset["metadata"], isReplacing: boolean) =>
    send<Api.Toolset>("PUT", `toolsets/${segment(as)}`, { functions, metadata, isReplacing })
  const submit = () =>
    run(() =>
      finish(async () => {
        switch (question) {
          case "save":
            await save(name, emoji === "" ? {} : { emoji }, isTaken)
            setDraft(set.name, undefined)
            return go("toolsets", name)
          case "copy":
            await post<Api.Toolset>(`${path}/copy`, { to: name })
            return go("toolsets", name)
          case "rename":
            await post<Api.Toolset>(`${path}/rename`, { to: name })
            setDraft(set.name, undefined)
            return go("toolsets", name)
          case "delete":
            await send("DELETE", path)
            setDraft(set.name, undefined)
            return go("toolsets")
          case "none":
            await activate({ name: "none" })
            return
          case "emoji": {
            const { emoji: _, ...metadata } = set.metadata
            await send("PUT", path, {
              functions: set.functions,
              metadata: emoji === "" ? metadata : { ...metadata, emoji },
              isReplacing: true
            })
          }
        }
      })
    )
  const titles: { readonly [Name in Question]: readonly [title: string, action: string] } = {
    save: [set === unnamed ? "New set" : "Save as a new toolset", isTaken ? "Replace it" : "Save"],
    copy: [`Copy ${showHidden(set.name)}`, "Copy"],
    rename: [`Rename ${showHidden(set.name)}`, "Rename"],
    delete: [`Delete ${showHidden(set.name)}?`, "Delete"],
    none: ["Offer no tool at all?", "Activate none"],
    emoji: [`Emoji of ${showHidden(set.name)}`, "Set"]
  }
  const [title, action] = titles[question]
  return (
    <Dialog
      title={title}
      action={action}
      isDangerous={question === "delete" || isTaken}
      problem={problem}
      onSubmit={submit}
      onClose={onClose}
    >
      {(question === "save" || question === "copy" || question === "rename") && (
        <TextField
          label="Name"
          value={name}
          required
          onInput={(typed) => {
            setName(typed)
            setIsTaken(false)
          }}
        />
      )}
      {(question === "save" || question === "emoji") && (
        <>
          <TextField label="Emoji" value={emoji} onInput={setEmoji} maxLength={8} />
          <div class="row emojis" role="group" aria-label="Suggestions">
            {emojis.map((one) => (
              <button key={one} type="button" class="plain" aria-pressed={emoji === one} onClick={() => setEmoji(one)}>
                {one}
              </button>
            ))}
          </div>
        </>
      )}
      {question === "delete" && <p>Conversations in which it is active have no tools until another is activated.</p>}
      {question === "none" && <p>No tool is chosen. The conversation would have none.</p>}
    </Dialog>
  )
}

const activate = async (what: { readonly name?: string; readonly functions?: ReadonlyArray<string> }) => {
  await post<Api.ToolsetPreview>("toolsets/activate", { conversation: conversation.value ?? "", ...what })
  announcement.value = "Activated. It counts from the next turn on."
}

const ToolsetView = ({ all, set }: { readonly all: Api.Toolsets; readonly set: Api.Toolset }) => {
  const [search, setSearch] = useState("")
  const [question, setQuestion] = useState<Question>()
  const { isBusy, problem, run } = useAction()
  const { functions: draft, was } = drafts.value.get(set.name) ?? {
    functions: new Set(set.functions),
    was: set.functions
  }
  const isChanged = !isSame(draft, set.functions)
  /** What another window has saved is replaced only when that was seen. */
  const isReplaced = !isSame(new Set(was), set.functions)
  const functions = [...draft]
  const loaded = all.modules.flatMap((module) => module.functions.map(({ name }) => name))
  const missing = functions.filter((name) => !loaded.includes(name))
  const isNew = set === unnamed
  const isActive = !isNew && all.active.name === set.name && all.active.type !== "unknown"
  const isOwn = set.type === "user"
  const change = (next: ReadonlySet<string>): void =>
    setDraft(set.name, isSame(next, set.functions) ? undefined : { functions: next, was })
  const onActivate = () => {
    if (functions.length === 0 && set.name !== "none") return setQuestion("none")
    void run(() => activate(isChanged ? { functions } : { name: set.name }))
  }
  const onSave = () =>
    run(async () => {
      await send("PUT", `toolsets/${segment(set.name)}`, { functions, isReplacing: true, was: set.functions })
      setDraft(set.name, undefined)
      await toolsets.load()
      announcement.value = `Saved ${set.name}`
    })
  const onExport = () =>
    run(async () => download(`toolset-${set.name}.json`, await getText(`toolsets/${segment(set.name)}/export`)))
  const isDisabled = isReadOnly() || isBusy
  return (
    <div class="column">
      <header class="stack">
        <h1>
          {emojiOf(set)} <Text>{isNew ? "New set" : set.name}</Text>
        </h1>
        <p class="row">
          {!isNew && <span class="tag">{kinds[set.type]}</span>}
          {isActive && <span class="tag on">active</span>}
          {set.isOverriding && <span class="tag">in place of the application's</span>}
          <span class="quiet">
            {draft.size - missing.length} of {loaded.length} tools
          </span>
        </p>
        <div class={isChanged && !isNew ? "notice notice-warn stack" : "stack"}>
          {isNew && <p>Check the tools that it is to have, and save it.</p>}
          {isChanged && !isNew && <p>Changed, and not live: activate or save it.</p>}
          {isChanged && isReplaced && (
            <p>It was saved elsewhere meanwhile, with {count(set.functions.length, "tool")}. Saving replaces that.</p>
          )}
          <div class="row">
            {!isNew && (!isActive || isChanged) && (
              <Button class="main" isDisabled={isDisabled} onClick={onActivate}>
                Activate
              </Button>
            )}
            {isOwn && !isNew && isChanged && (
              <Button isDisabled={isDisabled || functions.length === 0} onClick={onSave}>
                {isReplaced ? "Replace it" : "Save"}
              </Button>
            )}
            {(isNew || isChanged) && (
              <Button
                class={isNew ? "main" : undefined}
                isDisabled={isDisabled || functions.length === 0}
                onClick={() => setQuestion("save")}
              >
                Save as…
              </Button>
            )}
            {isChanged && (
              <button type="button" onClick={() => setDraft(set.name, undefined)}>
                Discard changes
              </button>
            )}
          </div>
          {!isNew && !isReadOnly() && (!isActive || isChanged) && (
            <p class="hint">
              {conversation.value === undefined
                ? "New conversations get what you activate, and so do those in which nothing was activated."
                : "The conversation gets what you activate from its next turn on."}
            </p>
          )}
        </div>
        <div class="row plain-row">
          {isOwn && !isNew && !isReadOnly() && (
            <>
              <button type="button" class="plain" onClick={() => setQuestion("emoji")}>
                Emoji
              </button>
              <button type="button" class="plain" onClick={() => setQuestion("rename")}>
                Rename
              </button>
            </>
          )}
          {!isReadOnly() && set.functions.length > 0 && (
            <button type="button" class="plain" onClick={() => setQuestion("copy")}>
              Copy
            </button>
          )}
          {!isNew && (
            <button type="button" class="plain" onClick={onExport}>
              Export
            </button>
          )}
          {isOwn && !isNew && !isReadOnly() && (
            <button type="button" class="plain danger" onClick={() => setQuestion("delete")}>
              Delete
            </button>
          )}
        </div>
        <Problem>{problem}</Problem>
      </header>
      {missing.length > 0 && (
        <div class="notice notice-warn">
          <p>Not loaded, so not on offer:</p>
          <ul>
            {missing.map((name) => (
              <li key={name}>
                <code>
                  <Text>{name}</Text>
                </code>{" "}
                <button
                  type="button"
                  class="link"
                  onClick={() => change(new Set(functions.filter((one) => one !== name)))}
                >
                  Leave out
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <section class="stack" aria-label="Tools of the set">
        <div class="row">
          <Search label="Search in the set" value={search} onInput={setSearch} />
          <button type="button" onClick={() => change(new Set(loaded))}>
            Check all
          </button>
          <button type="button" onClick={() => change(new Set())}>
            Uncheck all
          </button>
        </div>
        <Groups draft={draft} modules={all.modules} search={search} onChange={change} />
      </section>
      {question !== undefined && (
        <Questions question={question} set={set} functions={functions} onClose={() => setQuestion(undefined)} />
      )}
    </div>
  )
}

const Active = ({ all }: { readonly all: Api.Toolsets }) => {
  const { problem, run } = useAction()
  const { active, isInitial } = all
  const isNew = conversation.value === undefined
  return active.type === "unknown" ? (
    <DeletedToolset all={all} of={conversation.value}>
      Activate another one.
    </DeletedToolset>
  ) : (
    <>
      <p class="quiet small">
        Active: {active.name === undefined ? "a choice of its own" : <Text>{active.name}</Text>},{" "}
        {count(active.enabled, "tool")}
        {isInitial && !isNew && ", as new conversations get"}{" "}
        {!isInitial && !isReadOnly() && (
          <button type="button" class="link" onClick={() => run(() => reset(conversation.value))}>
            {wayBack(conversation.value)}
          </button>
        )}
      </p>
      <Problem>{problem}</Problem>
    </>
  )
}

/** Where the address names no set: no set is called by a space. */
const newName = " "

export const ToolsetsPage = () => {
  const [search, setSearch] = useState("")
  const [imported, setImported] = useState<ReadonlyArray<string>>()
  const { problem, run } = useAction()
  const all = toolsets.use()
  const list = (all?.toolsets ?? []).filter(({ functions, name }) => {
    const wanted = search.toLowerCase().trim()
    return `${name} ${functions.join(" ")}`.toLowerCase().includes(wanted)
  })
  const selected = useShown(
    list.map(({ name }) => name),
    list.find(({ name }) => name === all?.active.name)?.name
  )
  const set = all?.toolsets.find(({ name }) => name === selected)
  const importSet = (text: string): Promise<void> =>
    run(async () => {
      const { skipped, toolset } = await post<{
        readonly toolset: Api.Toolset
        readonly skipped: ReadonlyArray<string>
      }>("toolsets/import", { exported: text })
      setImported(skipped)
      await toolsets.load()
      go("toolsets", toolset.name)
    })
  return (
    <Split
      title="Toolsets"
      page="toolsets"
      side={
        <>
          <header>
            <div class="row apart">
              <h2>
                Toolsets <span class="quiet">{list.length}</span>
              </h2>
              {!isReadOnly() && (
                <span class="row">
                  <FileButton label="Import" onText={importSet} />
                  <button type="button" onClick={() => go("toolsets", newName)}>
                    New set
                  </button>
                </span>
              )}
            </div>
            <Search label="Search toolsets and their tools" value={search} onInput={setSearch} />
            <ConversationSelect label="Active in" />
            {all !== undefined && <Active all={all} />}
            <div role="status">
              <Problem>{problem}</Problem>
              {imported !== undefined && imported.length > 0 && (
                <p class="notice notice-warn">
                  Imported without tools that are not here: <Text>{imported.join(", ")}</Text>
                </p>
              )}
            </div>
          </header>
          {list.length === 0 ? (
            <Emptiness isLoading={all === undefined} error={toolsets.error.value}>
              No toolset has these words.
            </Emptiness>
          ) : (
            <VirtualList
              label="Toolsets"
              count={list.length}
              rowHeight={48}
              selected={list.findIndex(({ name }) => name === selected)}
              onOpen={(index) => go("toolsets", list[index]!.name)}
              keyOf={(index) => list[index]!.name}
              row={(index) => {
                const one = list[index]!
                return {
                  content: (
                    <span class="name spread">
                      <span>
                        {emojiOf(one)} <Text>{one.name}</Text>
                      </span>
                      <span class="row quiet small">
                        {drafts.value.has(one.name) && <span class="tag warn">changed</span>}
                        {all?.active.name === one.name && all.active.type !== "unknown" && (
                          <span class="tag on">active</span>
                        )}
                        {one.enabled === one.total ? one.total : `${one.enabled}/${one.total}`}
                      </span>
                    </span>
                  )
                }
              }}
            />
          )}
        </>
      }
    >
      {all !== undefined && selected === newName ? (
        <ToolsetView key="new" all={all} set={unnamed} />
      ) : all === undefined || selected === undefined ? (
        <div class="empty">
          Choose a toolset to see what it offers. Your changes are a draft: conversations keep their tools until you
          activate it.
        </div>
      ) : set === undefined ? (
        <div class="empty">
          There is no toolset of this name. <a href={addressOfPage("toolsets")}>Back to the list</a>
        </div>
      ) : (
        <ToolsetView key={set.name} all={all} set={set} />
      )}
    </Split>
  )
}
