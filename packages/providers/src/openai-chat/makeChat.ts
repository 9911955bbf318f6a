/** A format of Chat Completions' language, from what its dialect says. */
import type { WireFormat } from "../WireFormat.js"
import * as StreamDecoder from "../StreamDecoder.js"
import { serverSentEvents } from "../framing/serverSentEvents.js"
import { describe } from "../internal/format.js"
import { errorDecoder } from "../openai/errors.js"
import type { ChatDialect } from "./format.js"
import { makeDecodeRequest, makeEncodeRequest, makeEncodeResults } from "./messages.js"
import { streamAssembler } from "./stream.js"
import type { LookUp } from "./turn.js"
import { makeDecodeTurn } from "./turn.js"

export const makeChat = (
  dialect: ChatDialect,
  offeredTools: LookUp,
  encodeTools: WireFormat["encodeTools"],
  isFormatOf: WireFormat["isFormatOf"]
): WireFormat => ({
  ...describe(dialect),
  encodeTools,
  decodeTurn: makeDecodeTurn(dialect, offeredTools),
  encodeResults: makeEncodeResults(dialect, offeredTools),
  isFormatOf,
  streamDecoder: (offered) =>
    StreamDecoder.make({
      format: dialect.name,
      framing: serverSentEvents,
      assembler: streamAssembler(dialect, offeredTools, offered)
    }),
  decodeRequest: makeDecodeRequest(dialect, encodeTools),
  encodeRequest: makeEncodeRequest(dialect, encodeTools, offeredTools),
  decodeError: errorDecoder(dialect.name)
})
