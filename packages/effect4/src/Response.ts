/** What answers a deferred call; all of it is JSON. */

/**
 * @category models
 */
export type Response =
  | { readonly _tag: "Approve"; readonly arguments?: { readonly [name: string]: unknown } | undefined }
  | { readonly _tag: "Deny"; readonly reason: string }
  | { readonly _tag: "Result"; readonly encoded: unknown }
  | { readonly _tag: "Failure"; readonly encoded: unknown }
  | { readonly _tag: "Reply"; readonly value: unknown }

/**
 * The call may run as it is.
 *
 * @category constructors
 */
export const approve: Response = { _tag: "Approve" }

/**
 * The call may run with these arguments: all of the visible ones, encoded.
 *
 * @category constructors
 */
export const approveWith = (edited: { readonly [name: string]: unknown }): Response => {
  // Without them, what the person has changed would run as it was.
  if (edited === undefined) throw new TypeError("The arguments of an approval must be an object, but are missing")
  return { _tag: "Approve", arguments: edited }
}

/**
 * The call may not run; the model reads the reason.
 *
 * @category constructors
 */
export const deny = (reason: string): Response => ({ _tag: "Deny", reason })

/**
 * What a client's execution came to, encoded.
 *
 * @category constructors
 */
export const result = (encoded: unknown): Response => ({ _tag: "Result", encoded })

/**
 * How a client's execution failed, encoded.
 *
 * @category constructors
 */
export const failure = (encoded: unknown): Response => ({ _tag: "Failure", encoded })

/**
 * The reply to what a handler asked.
 *
 * @category constructors
 */
export const reply = (value: unknown): Response => ({ _tag: "Reply", value })
