/**
 * What every host is put through. Its own loop runs with a model that makes the
 * scripted calls, and each scenario says what the model must read next.
 */
import { readFileSync } from "node:fs"
import { Journal } from "@wield/core"
import { Effect } from "effect"
import { openShop, type Shop } from "./shop.js"

export type { Shop } from "./shop.js"

export interface Call {
  readonly id: string
  readonly name: string
  /** As the model writes them. */
  readonly arguments: string
}

/** What the model is sent for a call. */
export interface Sent {
  readonly id: string
  readonly text: string
}

export interface Drive {
  readonly shop: Shop
  readonly calls: ReadonlyArray<Call>
  readonly signal?: AbortSignal
  /**
   * What the person says where the host asks; `undefined` is a host whose hook
   * was forgotten. `later` opens the shop once more and goes on there, from text.
   */
  readonly reply?: "approve" | "deny" | undefined
  readonly later?: (() => Promise<Shop>) | undefined
  /** What happens to the text in which the conversation waits for the answer. */
  readonly alter?: ((text: string) => string) | undefined
}

export interface Driver {
  readonly sdk: string
  readonly drive: (options: Drive) => Promise<{
    /** The results that the model is sent. */
    readonly sent: ReadonlyArray<Sent>
    /** The definitions that the model is sent, as text. */
    readonly definitions: string
    /** Whether the host asks a person once more, in place of the answer that it was given. */
    readonly isAskedAgain?: boolean
  }>
  /** Scenarios that the SDK has no place for, and why. */
  readonly without?: { readonly [scenario: string]: string }
}

const one = (name: string, args: string): ReadonlyArray<Call> => [{ id: "call_1", name, arguments: args }]

export interface Scenario {
  readonly title: string
  /** What the table says, where the driver lives up to it. */
  readonly check: (driver: Driver) => Promise<string>
}

const require = (condition: boolean, seen: unknown): void => {
  if (!condition) throw new Error(`The model was sent ${JSON.stringify(seen)}`)
}

/** The model reads one result for the call, and it has this text. */
const reads = async (driver: Driver, calls: ReadonlyArray<Call>, text: RegExp, more: Partial<Drive> = {}) => {
  const shop = more.shop ?? (await openShop())
  const { sent } = await driver.drive({ shop, calls, ...more })
  require(sent.length === calls.length && sent.every((one) => text.test(one.text)), sent)
  require(!/hunter2|secret_account/.test(JSON.stringify(sent)), sent)
  return { shop, sent }
}

/** A yes to something else runs nothing: the call is refused, or asked about as it is now. */
const isNotTaken = async (driver: Driver, more: Partial<Drive> & { readonly shop: Shop }): Promise<string> => {
  const { isAskedAgain = false, sent } = await driver.drive({
    calls: one("pay", '{"amount":500}'),
    reply: "approve",
    ...more
  })
  require(!/hunter2|secret_account/.test(JSON.stringify(sent)), sent)
  if (isAskedAgain && sent.length === 0) return "asked again"
  require(sent.length === 1 && /denied and not run/.test(sent[0]!.text), sent)
  return "refused"
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    title: "valid call",
    check: async (driver) => {
      const { shop } = await reads(driver, one("pay", '{"amount":5}'), /\bpaid\b.*5/)
      require(JSON.stringify(shop.paid) === '[{"amount":5,"account":"secret_account"}]', shop.paid)
      return "the value"
    }
  },
  {
    title: "hidden field",
    check: async (driver) => {
      const shop = await openShop()
      const { definitions } = await driver.drive({ shop, calls: one("pay", '{"amount":5,"account":"mine"}') })
      require(definitions.includes("amount") && !definitions.includes("account"), definitions)
      require(JSON.stringify(shop.paid) === '[{"amount":5,"account":"secret_account"}]', shop.paid)
      return "not sent, not settable"
    }
  },
  {
    title: "wrong type",
    check: async (driver) => {
      await reads(driver, one("pay", '{"amount":"five"}'), /amount: expected a number/)
      return "the issue by its path"
    }
  },
  {
    title: "broken JSON",
    check: async (driver) => {
      const shop = await openShop()
      const { sent } = await driver.drive({ shop, calls: one("pay", '{"amount": nine') })
      require(sent.length <= 1 && shop.paid.length === 0, sent)
      if (sent.length === 0) return "the SDK asks the person"
      return /The arguments of pay/.test(sent[0]!.text) ? "Wield" : "the SDK"
    }
  },
  {
    title: "unknown name",
    check: async (driver) => {
      const { sent } = await driver.drive({ shop: await openShop(), calls: one("buy", "{}") })
      require(sent.length === 1, sent)
      return sent[0]!.text.includes("There is no tool named") ? "Wield" : "the SDK"
    }
  },
  {
    title: "typed failure",
    check: async (driver) => {
      await reads(driver, one("fail", "{}"), /There is no such order/)
      return "its value"
    }
  },
  {
    title: "defect",
    check: async (driver) => {
      await reads(driver, one("crash", "{}"), /failed internally \(reference /)
      return "a reference"
    }
  },
  {
    title: "timeout",
    check: async (driver) => {
      await reads(driver, one("slow", "{}"), /stopped after its limit of 10 ms/)
      return "the limit"
    }
  },
  {
    title: "denied by the rule",
    check: async (driver) => {
      const { shop } = await reads(driver, one("pay", '{"amount":5000}'), /denied and not run: too much/)
      require(shop.paid.length === 0, shop.paid)
      return "the reason"
    }
  },
  {
    title: "approved",
    check: async (driver) => {
      const { shop } = await reads(driver, one("pay", '{"amount":500}'), /\bpaid\b.*500/, { reply: "approve" })
      require(shop.paid.length === 1, shop.paid)
      return "run once"
    }
  },
  {
    title: "not approved",
    check: async (driver) => {
      const shop = await openShop()
      const { sent } = await driver.drive({ shop, calls: one("pay", '{"amount":500}'), reply: "deny" })
      require(sent.length === 1 && shop.paid.length === 0, sent)
      return /denied and not run: not today/.test(sent[0]!.text) ? "Wield" : "the SDK"
    }
  },
  {
    title: "approval hook forgotten",
    check: async (driver) => {
      const shop = await openShop()
      const { sent } = await driver.drive({ shop, calls: one("pay", '{"amount":500}') })
      require(shop.paid.length === 0, shop.paid)
      require(sent.length === 0 || /needs a person's approval/.test(sent[0]!.text), sent)
      return sent.length === 0 ? "asked all the same" : "refused"
    }
  },
  {
    title: "approved in another process",
    check: async (driver) => {
      const journal = Effect.runSync(Journal.memory)
      const shop = await openShop(journal)
      const opened: Array<Shop> = []
      const later = async () => {
        const second = await openShop(journal)
        opened.push(second)
        return second
      }
      await reads(driver, one("pay", '{"amount":500}'), /\bpaid\b.*500/, { shop, reply: "approve", later })
      require(shop.paid.length === 0 && opened[0]?.paid.length === 1, [shop.paid, opened])
      return "run once"
    }
  },
  {
    title: "approved, then altered",
    check: async (driver) => {
      const shop = await openShop()
      const alter = (text: string) => text.replaceAll(/\b500\b/g, "900")
      const cell = await isNotTaken(driver, { shop, alter })
      require(shop.paid.length === 0, shop.paid)
      return cell
    }
  },
  {
    title: "approved for another account",
    check: async (driver) => {
      const journal = Effect.runSync(Journal.memory)
      const shop = await openShop(journal)
      const second = await openShop(journal, "another_account")
      const cell = await isNotTaken(driver, { shop, later: async () => second })
      require(shop.paid.length === 0 && second.paid.length === 0, [shop.paid, second.paid])
      return cell
    }
  },
  {
    title: "abort",
    check: async (driver) => {
      const shop = await openShop()
      const controller = new AbortController()
      let isOver = false
      const driven = driver
        .drive({ shop, calls: one("wait", "{}"), signal: controller.signal })
        .catch(() => undefined)
        .finally(() => (isOver = true))
      while (!shop.waited.begun && !isOver) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      await driven
      require(shop.waited.begun, "no call")
      while (!shop.waited.ended) await new Promise((resolve) => setImmediate(resolve))
      return "the finalizer ran"
    }
  },
  {
    title: "image",
    check: async (driver) => {
      const { sent } = await reads(driver, one("picture", "{}"), /A dot:/)
      return sent[0]!.text.includes("iVBORw0KGgo=") ? "sent" : "a note in its place"
    }
  },
  {
    title: "no value",
    check: async (driver) => {
      await reads(driver, one("nothing", "{}"), /null/)
      return "null"
    }
  },
  {
    title: "20 calls at once",
    check: async (driver) => {
      const calls = Array.from({ length: 20 }, (_, index) => ({
        id: `call_${index}`,
        name: "pay",
        arguments: `{"amount":${index}}`
      }))
      const { sent, shop } = await reads(driver, calls, /\bpaid\b/)
      require(shop.paid.length === 20 && new Set(sent.map(({ id }) => id)).size === 20, sent)
      return "20 results"
    }
  }
]

/** The cells of a driver, by the titles of the scenarios. */
export const cellOf = async (driver: Driver, { check, title }: Scenario): Promise<string> =>
  driver.without?.[title] ?? (await check(driver))

/** What the table of the guide says of a driver. */
export const documentedCell = (driver: Driver, scenario: Scenario): string | undefined => {
  const rows = readFileSync(new URL("../../../../docs/interop.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const head = rows.findIndex((cells) => cells[1] === "SDK" && cells.includes(scenario.title))
  if (head < 0) return rows.find((cells) => cells[1] === scenario.title)?.[2]
  return rows.slice(head).find((cells) => cells[1] === driver.sdk)?.[rows[head]?.indexOf(scenario.title) ?? -1]
}
