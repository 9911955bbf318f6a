/** The tools of a recorded conversation, whose handlers return what the recorded ones returned. */
import { Content, CurrentCall, type Json, ToolResult, Toolset } from "@wield/core"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { Answer, Conversation } from "./conversations.js"
import { parsed } from "./words.js"

/** What the tools of the conversation return; media that the client sent apart belong to the last result before them. */
interface Recorded {
  readonly answer: Answer
  readonly content: ReadonlyArray<Content.Part>
}

/** `output`: the tool that the agent itself has for its final output. */
export const recordedTools = (conversation: Conversation, output: string | undefined) => {
  const recorded = recordedOf(conversation)
  const definitions = new Map(
    conversation.steps.flatMap(({ request }) => request.definitions.map((definition) => [definition.name, definition]))
  )
  const isCalled = (name: string) => recorded.some(({ answer }) => answer.call.name === name)
  return Toolset.dynamic(
    Array.from(definitions.values())
      // Of the tools that the API defines, those that it lets the client run.
      .filter(({ name, provider }) => name !== output && (provider === undefined || isCalled(name)))
      .map(({ description, inputSchema, name, provider }) => {
        const isContent = recorded.some(({ answer, content }) => answer.call.name === name && !isOneValue(content))
        return {
          name,
          description,
          inputSchema: provider === undefined ? inputSchema : { type: "object" as const, additionalProperties: true },
          isContent,
          execute: (parameters: { readonly [name: string]: unknown }) =>
            Effect.flatMap(CurrentCall.CurrentCall, ({ id }) => {
              const found = take(recorded, id, name, parameters)
              if (found === undefined) return Effect.succeed(isContent ? [Content.text(unrecorded)] : unrecorded)
              const { content } = found
              const { result } = found.answer
              const value = isContent ? content : valueOf(result)
              return result.isError ? Effect.fail(valueOf(result)) : Effect.succeed(value)
            })
        }
      })
  )
}

/** What a call is answered whose result is not in the recording, because it ends with the call. */
export const unrecorded = "The recording ends here."

/** Text as it stands: written as JSON anew, it would be spaced otherwise. */
const valueOf = (result: ToolResult.ToolResult): unknown => {
  const [only] = result.content
  if (result.content.length !== 1 || only === undefined) return ToolResult.toText(result)
  return only._tag === "JsonValue" ? only.value : ToolResult.toText(result)
}

const isOneValue = (content: ReadonlyArray<Content.Part>): boolean =>
  content.length <= 1 && content.every(({ _tag }) => _tag === "Text" || _tag === "JsonValue")

const recordedOf = ({ continuations }: Conversation): Array<Recorded> =>
  continuations.flatMap(({ answers, media }) =>
    answers.map((answer, index) => ({
      answer,
      content:
        index === answers.length - 1 ? [...answer.result.content, ...media.filter(isMedia)] : answer.result.content
    }))
  )

const isMedia = ({ _tag }: Content.Part): boolean => _tag === "Image" || _tag === "File"

/** By its id; some ids are made by whoever reads the response, then by name and arguments, in order. */
const take = (
  recorded: Array<Recorded>,
  id: string,
  name: string,
  parameters: Json.JsonSchema
): Recorded | undefined => {
  const isNamed = ({ answer }: Recorded) => answer.call.name === name
  const byId = recorded.findIndex((each) => isNamed(each) && each.answer.call.id === id)
  const index =
    byId === -1
      ? recorded.findIndex((each) => isNamed(each) && isDeepStrictEqual(parsed(each.answer.call.arguments), parameters))
      : byId
  return index === -1 ? undefined : recorded.splice(index, 1)[0]
}
