/** What a handler came to where nothing could interrupt it. */
import * as Context from "effect/Context"
import type * as Exit from "effect/Exit"

export interface Kept {
  exit: Exit.Exit<unknown, unknown> | undefined
}

export const Kept: Context.Reference<Kept | undefined> = Context.Reference<Kept | undefined>("@wield/effect4/Kept", {
  defaultValue: () => undefined
})
