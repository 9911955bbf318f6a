import type { Signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { get, RequestError } from "./http.js"
import { messageOf } from "./store.js"

/**
 * What the server has of one thing, asked for again with each new version. What is shown stays until there is something
 * newer: a request that fails, or another view of the thing, takes nothing from the user who works with it.
 */
export const useLoaded = <A>(path: string, version: Signal<number>) => {
  const [state, setState] = useState<{ readonly value?: A; readonly error?: string }>({})
  const requests = useRef({ last: 0, shown: 0 }).current
  const current = version.value
  useEffect(() => {
    const request = ++requests.last
    const isNewer = (): boolean => {
      if (request < requests.shown) return false
      requests.shown = request
      return true
    }
    get<A>(path).then(
      (value) => {
        if (isNewer()) setState({ value })
      },
      (cause: unknown) => {
        const isGone = cause instanceof RequestError && cause.status === 404
        if (isNewer()) setState((before) => ({ ...(isGone ? {} : before), error: messageOf(cause) }))
      }
    )
  }, [path, current])
  return state
}
