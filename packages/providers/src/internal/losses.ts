/** What several APIs cannot say, as losses. */
import type { Content, Json, Loss, ToolResult, Turn } from "@wield/core"
import { argumentObject } from "./json.js"
import type { Fields, Path } from "./wireField.js"

export const lossOf = (subject: string, path: Path, keyword: string, reason: string): Loss.Loss => ({
  subject,
  path,
  keyword,
  reason
})

/** Reports what is lost of one message, tool or schema. */
export type Lose = (path: Path, keyword: string, reason: string) => void

export const loseFrom =
  (subject: string, losses: Array<Loss.Loss>): Lose =>
  (path, keyword, reason) =>
    void losses.push(lossOf(subject, path, keyword, reason))

export const isMedia = (part: Content.Part): part is Content.Image | Content.File =>
  part._tag === "Image" || part._tag === "File"

/** An image or file that is left out, or replaced by a note. */
export const mediaLoss = (
  subject: string,
  part: Content.Image | Content.File,
  index: number,
  reason: string
): Loss.Loss => lossOf(subject, ["content", index], part._tag === "Image" ? "image" : "file", reason)

/** All images and files of a result, for an API whose results are text. */
export const mediaLosses = (result: ToolResult.ToolResult, api: string): ReadonlyArray<Loss.Loss> =>
  result.content.flatMap((part, index) => {
    const reason = `A result of ${api} carries no files; the model reads that it was left out.`
    return isMedia(part) ? [mediaLoss(result.name, part, index, reason)] : []
  })

/** What only the native message can say. */
export const keptLoss = (subject: string, path: Path, keyword: string): Loss.Loss =>
  lossOf(subject, path, keyword, `There are no words for ${keyword} here; it is kept in the native message.`)

/** Fields of a message, other than these, such as a user's `name`: there are no words for them. */
export const keptFields = (message: Fields, known: ReadonlyArray<string>, subject: string): ReadonlyArray<Loss.Loss> =>
  Object.keys(message)
    .filter((key) => !known.includes(key) && message[key] !== null)
    .map((key) => keptLoss(subject, [key], key))

/** The arguments for an API that takes only an object. */
export const argumentsOf = ({ call }: Turn.CallPart, subject: string, losses: Array<Loss.Loss>): Json.JsonObject => {
  const sent = argumentObject(call.arguments)
  if (sent !== undefined) return sent
  losses.push(lossOf(subject, [], "arguments", `The arguments of ${call.name} are not a JSON object; {} is sent.`))
  return {}
}
