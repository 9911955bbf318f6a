/** Names whose values are secrets, as they stand before a colon or an equals sign, in objects and annotations. */

export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  return (
    words.some((word) => always.has(word)) ||
    atEnd.has(last) ||
    compound.test(last) ||
    // A personal access token; by itself it is a name.
    (last === "pat" && words.length > 1) ||
    // `tokenValue`, `key_header`.
    (carriers.has(last) && atEnd.has(words.at(-2) ?? ""))
  )
}

/** Names of headers, whose values have spaces in them and go to the end of the line. */
export const isHeaderName = (name: string): boolean =>
  wordsOf(name).some((word) => word === "authorization" || word === "cookie")

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    // `secrets` and `apiKeys`, but not `tokens`, which are counted, nor a plain `keys`.
    .map((word, index) => (plural.test(word) || (word === "keys" && index > 0) ? word.slice(0, -1) : word))
    .filter((word) => word !== "")

const plural = /(?:secret|password|cookie|passphrase|apikey|privatekey|accesskey)s$/

const always = new Set(
  "authorization cookie credential credentials jwt otp passcode passphrase passwd password pin pwd secret totp".split(
    " "
  )
)

/** Not anywhere, since `token_count` and `key_type` are no secrets. */
const atEnd = new Set(["auth", "bearer", "dsn", "key", "oauth", "pass", "sig", "signature", "token"])

const carriers = new Set(["data", "header", "string", "text", "value"])

/** Written as one word: `authtoken`, `dbpassword`. `monkey` does not count. */
const compound =
  /(?:authorization|(?<!by|com|tres|sur|over|under)pass|(?:basic|o)auth|password|passwd|passphrase|secret|token|(?:api|access|account|encryption|master|private|secret|shared|signing|ssh|storage)key)$/
