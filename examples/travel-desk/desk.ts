/** What each form of the desk does for a page. */

/** What a request of the page comes to. The page keeps `session`, a text, and sends it with what comes next. */
export interface Turn {
  readonly session: string
  /** What the model says, once nothing waits. */
  readonly text: string
  readonly waiting: ReadonlyArray<Waiting>
}

/** A call that a person has to approve, or that the page runs. */
export interface Waiting {
  readonly id: string
  readonly tool: string
  readonly input: unknown
}

/** By the ids of what waits: whether it is approved, or what the page's own tool gave. */
export type Replies = { readonly [id: string]: { readonly approved: boolean } | { readonly result: string } }

/** One conversation of a traveller, whom the server knows by the cookie of the page. */
export interface Desk {
  readonly say: (text: string, session?: string) => Promise<Turn>
  readonly reply: (session: string, replies: Replies) => Promise<Turn>
}
