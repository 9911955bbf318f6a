/**
 * A format of Chat Completions' language, from what its dialect says.
 */
import { serverSentEvents } from "../../framing/serverSentEvents.js"
import * as StreamDecoder from "../../StreamDecoder.js"
import type { WireFormat } from "../../WireFormat.js"
import type { ChatDialect } from "./ChatDialect.js"
import { makeDecodeError } from "./decodeError.js"
import { makeDecodeRequest } from "./decodeRequest.js"
import type { LookUp } from "./decodeTurn.js"
import { makeDecodeTurn } from "./decodeTurn.js"
import { makeEncodeRequest } from "./encodeRequest.js"
import { makeEncodeResults } from "./encodeResults.js"
import { streamAssembler } from "./streamAssembler.js"

export const makeChat = (
  dialect: ChatDialect,
  offeredTools: LookUp,
  encodeTools: WireFormat["encodeTools"],
  isFormatOf: WireFormat["isFormatOf"]
): WireFormat => ({
  name: dialect.name,
  title: dialect.title,
  historyKey: "messages",
  endpoint: dialect.endpoint,
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
  decodeError: makeDecodeError(dialect.name)
})
