/** The options of a client, for programs without a compiler. */
import * as Options from "@wield/core/Options"
import type { Limits, Options as ClientOptions } from "./model.js"

const { aNumber, anything, aText, oneOf, oneOfOrFunction, texts } = Options

export const kinds: Options.Kinds<ClientOptions> = {
  prefix: aText,
  trust: oneOf("none", "hints"),
  start: oneOf("eager", "lazy"),
  limits: {
    connect: aNumber,
    probe: aNumber,
    call: aNumber,
    total: aNumber,
    messageBytes: aNumber,
    items: aNumber,
    pages: aNumber
  } satisfies Options.Kinds<Limits>,
  tools: { only: texts, except: texts } satisfies Options.Kinds<NonNullable<ClientOptions["tools"]>>,
  outputSchemas: oneOf("strict", "note", "off"),
  pins: anything,
  onDrift: oneOfOrFunction("withhold", "strict", "accept"),
  logLevel: aText,
  elicit: oneOfOrFunction("defer"),
  sample: oneOfOrFunction("defer"),
  roots: ["an array of folders", Array.isArray]
}
