/** Which page is shown: the fragment of the address, such as `#/runs/run_1`. */
import { computed, signal } from "@preact/signals"
import { enterFragment } from "./http.js"

export const pages = ["start", "tools", "toolsets", "playground", "runs", "approvals", "conversations"] as const

export type PageName = (typeof pages)[number]

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const read = (): ReadonlyArray<string> => location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode)

const parts = signal(read())

addEventListener("hashchange", () => {
  enterFragment()
  parts.value = read()
})

export const page = computed<PageName>(() => pages.find((name) => name === parts.value[0]) ?? "start")

/** What is chosen in the page's list. */
export const chosen = computed(() => parts.value[1])

/** The place within what is chosen: of a run, a row, or the run that it is compared with. */
export const place = computed(() => parts.value[2])

export const addressOfPage = (name: PageName, id?: string, at?: string): string =>
  `#/${[name, id, at].flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)])).join("/")}`

export const go = (name: PageName, id?: string, at?: string): void => {
  location.hash = addressOfPage(name, id, at)
}

/** As `go`, without a step for the browser's way back. */
export const move = (name: PageName, id?: string, at?: string): void => location.replace(addressOfPage(name, id, at))
