/**
 * What a wire format or schema dialect cannot say. A loss is reported, never
 * dropped in silence; the full schema or message stays authoritative.
 */

/**
 * One thing that was left out of, or weakened in, what is sent to a provider.
 *
 * @category models
 */
export interface Loss {
  /** The tool or message it belongs to, such as `get_orders` or `message 3`. */
  readonly subject: string
  /** The place in it. */
  readonly path: ReadonlyArray<string | number>
  /** The keyword or part that cannot be said, such as `pattern` or `image`. */
  readonly keyword: string
  /** What becomes of it, in a sentence. */
  readonly reason: string
}
