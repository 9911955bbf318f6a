/** The options of a client, for programs without a compiler. */
import * as Options from "@wield/core/Options"
import type { Limits, Options as ClientOptions } from "./model.js"

const { aNumber, anything, aText, fields, holds, oneOf, texts } = Options

const oneOfOrFunction = (...words: ReadonlyArray<string>): Options.Check =>
  holds(
    [...words.map((word) => `"${word}"`), "a function"].join(" or "),
    (value) => typeof value === "function" || words.some((word) => word === value)
  )

export const checkOptions = fields({
  prefix: aText,
  trust: oneOf("none", "hints"),
  start: oneOf("eager", "lazy"),
  limits: fields({
    connect: aNumber,
    probe: aNumber,
    call: aNumber,
    total: aNumber,
    messageBytes: aNumber,
    items: aNumber,
    pages: aNumber
  } satisfies Options.Checks<Limits>),
  tools: fields({ only: texts, except: texts } satisfies Options.Checks<NonNullable<ClientOptions["tools"]>>),
  outputSchemas: oneOf("strict", "note", "off"),
  pins: anything,
  onDrift: oneOfOrFunction("withhold", "strict", "accept"),
  logLevel: aText,
  elicit: oneOfOrFunction("defer"),
  sample: oneOfOrFunction("defer"),
  roots: holds("an array of folders", Array.isArray)
} satisfies Options.Checks<ClientOptions>)
