/** Asks a language model for an edit until its answer fits, or too many did not. */
import { type LanguageModel, type Prompt } from "@effect/ai"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { CodingModelFailed, EditDeclined, EditRejected } from "../CodeError.js"
import { applyBlocks } from "./applyBlocks.js"
import { markers, parseAnswer } from "./blocks.js"
import { isWhole } from "../recall/prompts.js"
import { correction, type Question, question, wordOf } from "./prompt.js"

interface Bounds {
  readonly attempts: number
  /** Bytes of the file as it would be. */
  readonly maxBytes: number
}

export const propose = (model: LanguageModel.Service, asked: Question, bounds: Bounds) =>
  Effect.gen(function* () {
    const { file } = asked
    const word = wordOf(asked)
    const messages: Array<Prompt.MessageEncoded> = [...question(asked, word)]
    let problems: ReadonlyArray<string> = []
    let wasUnmarked = false
    for (let attempts = 1; attempts <= bounds.attempts; attempts++) {
      const { finishReason, text: answer } = yield* model.generateText({ prompt: messages }).pipe(
        Effect.tapError(({ _tag }) => Effect.logWarning("No edit was made: the language model failed", _tag)),
        Effect.mapError(() => new CodingModelFailed({ file }))
      )
      // The provider's refusal of this very question: the same one would be refused again.
      if (finishReason === "content-filter") return yield* new EditDeclined({ file, reason: filtered })
      const parsed = parseAnswer(answer, word)
      if (Either.isRight(parsed) && parsed.right._tag === "Declined") {
        return yield* new EditDeclined({ file, reason: parsed.right.reason.slice(0, longestReason) })
      }
      const isUnmarked = Either.isRight(parsed) && parsed.right._tag === "Unmarked"
      // It was asked for the form once and still leaves it out: it refuses in its own words.
      if (isUnmarked && (wasUnmarked || attempts === bounds.attempts)) {
        return yield* new EditRejected({
          file,
          attempts,
          problems: [`${noBlock(word)}. It says: ${beginningOf(answer)}`]
        })
      }
      wasUnmarked = isUnmarked
      const applied = isUnmarked
        ? Either.left([noBlock(word)])
        : !isWhole(finishReason)
          ? // The blocks that are there may be the first half of a change.
            Either.left([`the answer was cut off (${finishReason}). Answer with fewer and shorter blocks`])
          : Either.isLeft(parsed)
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

const longestReason = 2000

const longestBeginning = 300

const filtered = "the provider's content filter stopped the answer"

const noBlock = (word: string): string => {
  const { decline, search } = markers(word)
  return `the answer has no block; a block begins with the line ${search}, and an answer that declines with the line ${decline}`
}

const beginningOf = (answer: string): string =>
  JSON.stringify(answer.trim().slice(0, longestBeginning)) + (answer.trim().length > longestBeginning ? "…" : "")

const mostProblems = 20
