/** A format of Chat Completions' language, from what its dialect says. */
import type { WireFormat } from "../internal/contract.js"
import { serverSentEvents } from "../framing/serverSentEvents.js"
import { makeFormat } from "../internal/format.js"
import { makeErrorDecoders } from "../openai-shared/errors.js"
import { makeEncodeTools, type Shape } from "../openai-shared/tools.js"
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
  return makeFormat(dialect, serverSentEvents, {
    tools: { encodeTools },
    turns: { decodeTurn: makeDecodeTurn(dialect), isFormatOf },
    messages: {
      encodeResults: makeEncodeResults(dialect),
      decodeRequest: makeDecodeRequest(dialect, encodeTools),
      encodeRequest: makeEncodeRequest(dialect, encodeTools)
    },
    streams: { streamAssembler: (offered) => streamAssembler(dialect, offered) },
    errors: makeErrorDecoders(dialect)
  })
}
