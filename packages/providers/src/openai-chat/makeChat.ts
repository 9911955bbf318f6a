/** A format of Chat Completions' language, from what its dialect says. */
import type { WireFormat } from "../WireFormat.js"
import * as StreamDecoder from "../StreamDecoder.js"
import { serverSentEvents } from "../framing/serverSentEvents.js"
import { describe } from "../internal/format.js"
import { makeErrorDecoders } from "../openai/errors.js"
import { makeEncodeTools, type Shape } from "../openai/tools.js"
import type { ChatDialect } from "./format.js"
import { makeDecodeRequest, makeEncodeRequest, makeEncodeResults } from "./messages.js"
import { streamAssembler } from "./stream.js"
import { makeShape } from "./tools.js"
import { makeDecodeTurn } from "./turn.js"

export const makeChat = (
  dialect: ChatDialect,
  { isFormatOf, isOwnTool }: Pick<WireFormat, "isFormatOf"> & Pick<Shape, "isOwnTool">
): WireFormat => {
  const encodeTools = makeEncodeTools(dialect, makeShape(isOwnTool))
  return {
    ...describe(dialect),
    encodeTools,
    decodeTurn: makeDecodeTurn(dialect),
    encodeResults: makeEncodeResults(dialect),
    isFormatOf,
    streamDecoder: (offered) =>
      StreamDecoder.make({
        format: dialect.name,
        framing: serverSentEvents,
        assembler: streamAssembler(dialect, offered)
      }),
    decodeRequest: makeDecodeRequest(dialect, encodeTools),
    encodeRequest: makeEncodeRequest(dialect, encodeTools),
    decodeError: makeErrorDecoders(dialect.name).decodeError
  }
}
