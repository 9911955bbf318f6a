/** Which page is shown: the fragment of the address, such as `#/runs/run_1`. */
import { computed, signal } from "@preact/signals"
import { enterFragment } from "./http.js"

export const pages = ["tools", "toolsets", "playground", "runs", "approvals", "conversations"] as const

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

export const page = computed<PageName>(() => pages.find((name) => name === parts.value[0]) ?? "tools")

/** What is chosen in the page's list. */
export const chosen = computed(() => parts.value[1])

export const addressOfPage = (name: PageName, id?: string): string =>
  `#/${name}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`

export const go = (name: PageName, id?: string): void => {
  location.hash = addressOfPage(name, id)
}
