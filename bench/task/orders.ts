/**
 * The task that every contender is given: the arguments of one call as JSON
 * text in, its result as JSON text out. Six fields (text, a choice, a bounded
 * integer that may be absent, a number, objects in a list, a default) and a
 * result of four.
 */
export interface Item {
  readonly sku: string
  readonly quantity: number
  readonly note?: string | undefined
}

export interface Parameters {
  readonly customer: string
  readonly status: Status
  readonly limit?: number | undefined
  readonly minimum: number
  readonly items: ReadonlyArray<Item>
  readonly includeArchived: boolean
}

export interface Result {
  readonly status: string
  readonly count: number
  readonly total: number
  readonly tags: ReadonlyArray<string>
}

export const statuses = ["open", "paid", "shipped", "cancelled"] as const

export type Status = (typeof statuses)[number]

export const toolName = "find_orders"

export const description = "Finds the orders of a customer that contain the given items."

export interface Task {
  readonly arguments: string
  readonly handle: (parameters: Parameters) => Result
  /** What the call comes to. */
  readonly expected: string
}

const makeTask = (given: object, tags: ReadonlyArray<string>): Task => {
  const handle = (parameters: Parameters): Result => ({
    status: parameters.includeArchived ? "archived" : parameters.status,
    count: parameters.items.length,
    total: parameters.items.length * parameters.minimum,
    tags
  })
  const text = JSON.stringify(given)
  const expected = handle({ ...(JSON.parse(text) as Parameters), includeArchived: false })
  return { arguments: text, handle, expected: JSON.stringify(expected) }
}

const item = (index: number): Item =>
  index % 2 === 0
    ? { sku: `SKU-${10_000 + index}`, quantity: (index % 9) + 1, note: "gift wrap, please" }
    : { sku: `SKU-${10_000 + index}`, quantity: (index % 9) + 1 }

const items = (count: number): ReadonlyArray<Item> => Array.from({ length: count }, (_, index) => item(index))

const given = { customer: "Ada Lovelace", status: "paid", limit: 25, minimum: 19.95, items: items(5) }

const tags = ["priority", "eu", "b2b"]

/** About 350 bytes of arguments. */
export const small: Task = makeTask(given, tags)

/** About 85 KB of arguments: a list of 1,400 objects. */
export const manyObjects: Task = makeTask({ ...given, items: items(1_400) }, tags)

/** About 100 KB of arguments: one long text. */
export const longText: Task = makeTask({ ...given, customer: "Ada Lovelace ".repeat(7_700) }, tags)

/** About 100 KB of result: 2,000 texts. */
export const largeResult: Task = makeTask(
  given,
  Array.from({ length: 2_000 }, (_, index) => `tag-${index}-${"abcdefghij".repeat(4)}`)
)
