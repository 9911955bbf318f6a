/**
 * A body that streams in, cut into the messages it carries. The bytes come in
 * any pieces: inside of a character, of a frame, of a JSON string.
 */

/** One message of a streamed body. */
export interface Frame {
  /** The event's type where the framing names one, such as `content_block_delta`. */
  readonly event: string | undefined
  /** Its payload; JSON text, but for markers such as `[DONE]`. */
  readonly data: string
  /** The framing itself says that this is an error (AWS event streams). */
  readonly isError: boolean
}

/** What cuts a body into frames. It keeps what is left of a frame until the rest arrives. */
export interface Framer {
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Frame>
  /** No more bytes: what was kept, if it can be a whole frame. */
  readonly end: () => ReadonlyArray<Frame>
}

/** Which framing a format's streams use. */
export type Framing = () => Framer
