/** Asks a language model for an edit until its answer fits, or too many did not. */
import { type LanguageModel, type Prompt } from "@effect/ai"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { CodingModelFailed, EditDeclined, EditRejected } from "../CodeError.js"
import { applyBlocks } from "./applyBlocks.js"
import { parseAnswer } from "./blocks.js"
import { correction, type Question, question, wordOf } from "./prompt.js"

export interface Proposal {
  readonly text: string
  /** How many answers it took. */
  readonly attempts: number
}

export interface Bounds {
  readonly attempts: number
  /** Bytes of the file as it would be. */
  readonly maxBytes: number
}

export const propose = (
  model: LanguageModel.Service,
  asked: Question,
  bounds: Bounds
): Effect.Effect<Proposal, CodingModelFailed | EditDeclined | EditRejected> =>
  Effect.gen(function* () {
    const { file } = asked
    const word = wordOf(asked)
    const messages: Array<Prompt.MessageEncoded> = [...question(asked, word)]
    let problems: ReadonlyArray<string> = []
    for (let attempts = 1; attempts <= bounds.attempts; attempts++) {
      const { text: answer } = yield* model.generateText({ prompt: messages }).pipe(
        Effect.tapError(({ _tag }) => Effect.logWarning("No edit was made: the language model failed", _tag)),
        Effect.mapError(() => new CodingModelFailed({ file }))
      )
      const parsed = parseAnswer(answer, word)
      if (Either.isRight(parsed) && parsed.right._tag === "Declined") {
        return yield* new EditDeclined({ file, reason: parsed.right.reason.slice(0, longestReason) })
      }
      const applied = Either.isLeft(parsed)
        ? Either.left([parsed.left])
        : Either.filterOrLeft(
            applyBlocks(asked.text, parsed.right._tag === "Blocks" ? parsed.right.blocks : []),
            (text) => Buffer.byteLength(text) <= bounds.maxBytes,
            () => [`the file would be larger than ${bounds.maxBytes} bytes`]
          )
      if (Either.isRight(applied)) return { text: applied.right, attempts }
      problems = applied.left
      messages.push(...correction(answer, problems))
    }
    return yield* new EditRejected({ file, attempts: bounds.attempts, problems: problems.slice(0, mostProblems) })
  })

/** Characters. */
const longestReason = 2000

const mostProblems = 20
