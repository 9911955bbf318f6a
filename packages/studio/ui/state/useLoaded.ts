import type { Signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { get } from "./http.js"
import { messageOf } from "./store.js"

/** What the server has at a path, asked for again with each new version. Nothing is asked without a path. */
export const useLoaded = <A>(path: string | undefined, version: Signal<number>) => {
  const [state, setState] = useState<{ readonly path?: string; readonly value?: A; readonly error?: string }>({})
  const current = version.value
  useEffect(() => {
    if (path === undefined) return
    let isOver = false
    get<A>(path).then(
      (value) => !isOver && setState({ path, value }),
      (cause: unknown) => !isOver && setState({ path, error: messageOf(cause) })
    )
    return () => {
      isOver = true
    }
  }, [path, current])
  return state.path === path ? state : {}
}
