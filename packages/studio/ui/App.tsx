/** The frame of all pages: navigation, connection, what a screen reader announces. */
import { effect, useSignalEffect } from "@preact/signals"
import type { FunctionComponent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { ApprovalsPage } from "./pages/ApprovalsPage.js"
import { ConversationsPage } from "./pages/ConversationsPage.js"
import { PlaygroundPage } from "./pages/PlaygroundPage.js"
import { RunsPage } from "./pages/RunsPage.js"
import { StartPage } from "./pages/StartPage.js"
import { ToolsetsPage } from "./pages/ToolsetsPage.js"
import { ToolsPage } from "./pages/ToolsPage.js"
import { TextField } from "./parts/Controls.js"
import { keepFocus } from "./parts/keepFocus.js"
import { Text } from "./parts/Text.js"
import { count } from "./parts/time.js"
import { enterToken, isRefused } from "./state/http.js"
import { isConnected } from "./state/live.js"
import { addressOfPage, page, type PageName, pages } from "./state/route.js"
import { about, announcement, approvals, problems } from "./state/store.js"

const titles: { readonly [Name in PageName]: string } = {
  start: "Start",
  tools: "Tools",
  toolsets: "Toolsets",
  playground: "Playground",
  runs: "Runs",
  approvals: "Approvals",
  conversations: "Conversations"
}

const components: { readonly [Name in PageName]: FunctionComponent } = {
  start: StartPage,
  tools: ToolsPage,
  toolsets: ToolsetsPage,
  playground: PlaygroundPage,
  runs: RunsPage,
  approvals: ApprovalsPage,
  conversations: ConversationsPage
}

/** Drawn in a square of 16. */
const icons: { readonly [Name in PageName]: string } = {
  start: "M2.5 7.5 8 3l5.5 4.5v5.5h-4v-3.5h-3V13h-4Z",
  tools:
    "M10.5 2.5a3.5 3.5 0 0 0-3.3 4.6L2.5 11.8v1.7h1.7l4.7-4.7a3.5 3.5 0 0 0 4.4-4.4L11 6.7 9.3 5l2.3-2.3a3.5 3.5 0 0 0-1.1-.2Z",
  toolsets: "M2.5 5 8 2.5 13.5 5 8 7.5ZM2.5 8 8 10.5 13.5 8M2.5 11 8 13.5 13.5 11",
  playground: "M2.5 3.5h11v7h-6l-3 3v-3h-2Z",
  runs: "M2.5 4h5M5 8h6M8.5 12h5",
  approvals: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.5 8l2 2 3-3.5",
  conversations: "M3 4h10M3 8h10M3 12h6"
}

const Navigation = () => {
  const waiting = approvals.use()?.approvals.length ?? 0
  const parts = about.use()?.parts
  return (
    <nav aria-label="Pages">
      <p class="brand">
        wield <span>studio</span>
      </p>
      <ul>
        {pages
          .filter((name) => name !== "toolsets" || parts?.toolsets !== false)
          .map((name) => (
            <li key={name}>
              <a href={addressOfPage(name)} aria-current={page.value === name ? "page" : undefined}>
                <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
                  <path d={icons[name]} />
                </svg>
                {titles[name]}
                {name === "approvals" && waiting > 0 && (
                  <span class="count">
                    {waiting}
                    <span class="unseen"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
      </ul>
      <p class="connection">
        <span class={isConnected.value ? "dot" : "dot waiting"} />
        <span class="words" role="status">
          {isConnected.value ? "Connected" : "Connecting…"}
        </span>
      </p>
    </nav>
  )
}

const TokenPage = () => {
  const [entered, setEntered] = useState("")
  return (
    <main class="page">
      <form
        class="column"
        onSubmit={(event) => {
          event.preventDefault()
          if (entered.trim() !== "") enterToken(entered.trim())
        }}
      >
        <h1>This studio asks for its token</h1>
        <p>
          The program that serves this page printed an address when it started. Open that address, or copy the part
          behind <code>#</code> to here.
        </p>
        <TextField label="Token" value={entered} onInput={setEntered} />
        <p>
          <button type="submit" class="main">
            Open the studio
          </button>
        </p>
      </form>
    </main>
  )
}

const Problems = () => {
  const list = problems.use()?.problems ?? []
  if (list.length === 0) return null
  return (
    <details class="problems">
      <summary>
        <span class="tag warn">{count(list.length, "problem")}</span> in what was loaded
      </summary>
      <ul class="stack">
        {list.map(({ file, message, place, rule, severity }, index) => (
          <li key={index}>
            <span class={severity === "error" ? "wrong" : "warn"}>{severity}</span>{" "}
            <code>
              <Text>{`${file}${place === undefined ? "" : `:${place.line}:${place.column}`}`}</Text>
            </code>{" "}
            <Text>{message}</Text> <span class="quiet">{rule}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Says which calls have come to wait since the page was opened. */
let known: ReadonlySet<string> | undefined
effect(() => {
  const list = approvals.value.value?.approvals
  if (list === undefined) return
  const fresh = known === undefined ? [] : list.filter(({ id }) => !known!.has(id))
  known = new Set(list.map(({ id }) => id))
  if (fresh.length > 0) announcement.value = `Waiting for your answer: ${fresh.map(({ tool }) => tool).join(", ")}`
})

/** A new page has the focus before it is drawn: what it focuses itself, or the user reaches in it, stays focused. */
effect(() => {
  void page.value
  document.querySelector("main")?.focus()
})

export const App = () => {
  const main = useRef<HTMLElement>(null)
  const current = page.value
  useSignalEffect(() => {
    document.title = `${titles[page.value]} · ${about.value.value?.title ?? "Wield studio"}`
  })
  useEffect(keepFocus, [])
  if (isRefused.value) return <TokenPage />
  const Page = components[current]
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => main.current!.focus()}>
        Skip to the page
      </button>
      <Navigation />
      <main ref={main} tabIndex={-1} aria-label={titles[current]}>
        <Problems />
        {about.value.value?.isReadOnly === true && (
          <p class="notice notice-warn flat">This studio only shows. Calls, answers and changes are switched off.</p>
        )}
        <Page />
      </main>
      <p class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </div>
  )
}
