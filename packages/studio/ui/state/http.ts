/** Requests to the studio's server. The page may lie under any path: all addresses are relative to its script. */
import { signal } from "@preact/signals"

const base = new URL("./", import.meta.url)
const storageKey = `wield-studio:${base.pathname}`

export const token = signal(sessionStorage.getItem(storageKey) ?? undefined)

/** The server refused the token. */
export const isRefused = signal(false)

export const enterToken = (entered: string): void => {
  sessionStorage.setItem(storageKey, entered)
  token.value = entered
  isRefused.value = false
}

/** The fragment holds the token at first. It moves to where only this tab and this origin see it. */
export const enterFragment = (): void => {
  const fragment = location.hash.slice(1)
  if (fragment === "" || fragment.startsWith("/")) return
  history.replaceState(null, "", location.pathname + location.search)
  enterToken(decodeURIComponent(fragment))
}
enterFragment()

/** The server's own words for what went wrong, and its name for it. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: unknown
  ) {
    super(message)
  }
}

const messageOf = (status: number, body: unknown): string => {
  const said = typeof body === "object" && body !== null && "message" in body ? body.message : undefined
  return typeof said === "string" && said !== "" ? said : `The server answered with ${status}.`
}

export const headers = (): Record<string, string> =>
  token.value === undefined ? {} : { authorization: `Bearer ${token.value}` }

export const addressOf = (path: string): URL => new URL(`api/${path}`, base)

type Method = "GET" | "POST" | "PUT" | "DELETE"

const sendForText = async (method: Method, path: string, body?: unknown): Promise<string> => {
  const answer = await fetch(addressOf(path), {
    method,
    headers: { ...headers(), ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }).catch(() => {
    throw new RequestError(0, "The server cannot be reached.", undefined)
  })
  if (answer.status === 401) isRefused.value = true
  const text = await answer.text()
  if (!answer.ok) {
    const read = parse(text)
    throw new RequestError(answer.status, messageOf(answer.status, read), read)
  }
  return text
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON of an answer; undefined for an empty one. */
export const send = async <A>(method: Method, path: string, body?: unknown): Promise<A> =>
  parse(await sendForText(method, path, body)) as A

/** An answer as it is, for a file. */
export const getText = (path: string): Promise<string> => sendForText("GET", path)

export const get = <A>(path: string): Promise<A> => send("GET", path)
export const post = <A>(path: string, body: unknown): Promise<A> => send("POST", path, body)

/** A segment of a path. */
export const segment = encodeURIComponent
