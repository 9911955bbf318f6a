/** What the assistant's tools do, as facts that policies, retries and clients read. */
import { Tool } from "@effect/ai"
import * as Context from "effect/Context"

const harmless = Context.make(Tool.Destructive, false)

/** Looks at pages of others, anywhere. */
export const readsWeb = Context.add(harmless, Tool.Readonly, true)

/** Looks at what the application holds. */
export const reads = Context.add(readsWeb, Tool.OpenWorld, false)

/** Writes something new each time: calling it twice makes two. */
export const adds = Context.add(harmless, Tool.OpenWorld, false)

/** Writes, and a second call changes nothing more. */
export const sets = Context.add(adds, Tool.Idempotent, true)

/** Removes for good. */
export const deletes = Context.make(Tool.Idempotent, true).pipe(Context.add(Tool.OpenWorld, false))
