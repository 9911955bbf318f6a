/**
 * Which addresses an outgoing request may go to.
 *
 * @since 0.1.0
 */

/**
 * What outgoing requests may do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /** Hosts (names, addresses, or `host:port`) that are allowed although they are private, loopback or link-local. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** How many redirects are followed; each is checked anew. 5 unless given. */
  readonly maxRedirects?: number | undefined
  /** The largest answer, in bytes after decompression. 10 MiB unless given. */
  readonly maxBytes?: number | undefined
}
