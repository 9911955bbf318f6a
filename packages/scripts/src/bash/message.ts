/** Messages to `runtime/bash.sh`, which describes them. */

/** A field that repeats another one: `prefix`, and what stands in `field` after its first `cut` bytes. */
export interface Repetition {
  readonly field: number
  readonly cut: number
  readonly prefix: string
}

export type Field = string | Repetition

// What word splitting hands on as it is in every locale; longer fields are read on their own.
const isInline = (field: string): boolean => field.length <= 4096 && /^[ -~\t\n]*$/.test(field)

export const encodeMessage = (fields: ReadonlyArray<Field>): Uint8Array => {
  const apart: Array<string> = []
  const contents: Array<Uint8Array> = []
  const inline: Array<string> = []
  fields.forEach((field, position) => {
    const index = position + 1
    if (typeof field !== "string") {
      apart.push(`${index} =${field.field + 1} ${field.cut} ${field.prefix}`)
      inline.push("")
    } else if (isInline(field)) {
      inline.push(field)
    } else {
      const content = Buffer.from(field, "utf8")
      apart.push(`${index} ${content.length}`)
      contents.push(content)
      inline.push("")
    }
  })
  const message = Buffer.from([apart.join("\x1d"), ...inline, ""].join("\x1e"), "latin1")
  return Buffer.concat([Buffer.from(String(message.length).padStart(10, "0")), message, ...contents])
}
