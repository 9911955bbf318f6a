/** What a scripted turn is made of. */
import type { ModelError } from "@wield/agent"
import type { Turn } from "@wield/core"
import type * as Effect from "effect/Effect"

/** A part that the model produces, and what happens while it does. */
export type Part =
  | { readonly _tag: "Text" | "Reasoning" | "Refusal"; readonly text: string }
  | {
      readonly _tag: "Call"
      /** Made from the number of the call unless given. */
      readonly id: string | undefined
      readonly name: string
      readonly arguments: unknown
      readonly executedBy: "application" | "provider"
      /** The call breaks off before its arguments are complete: it is in no turn. */
      readonly isPartial: boolean
    }
  | { readonly _tag: "Wait"; readonly effect: Effect.Effect<unknown> }
  | { readonly _tag: "Usage"; readonly usage: Turn.Usage }
  | { readonly _tag: "Finish"; readonly finish: Turn.Finish }

/** One answer of the model: its parts, and the error that it ends with, if it does. */
export interface ScriptedTurn {
  readonly _tag: "ScriptedTurn"
  readonly parts: ReadonlyArray<Part>
  /** After the parts; where there are none, the request never came to a turn. */
  readonly error: ModelError.ModelError | undefined
}

/** How turns are played. */
export interface Options {
  /** What the API would call the model; `scripted` unless given. */
  readonly id?: string | undefined
  /** Name of the format of the turns; `scripted` unless given. */
  readonly format?: string | undefined
  /** The most characters in one delta of text or arguments; 8 unless given. */
  readonly deltaCharacters?: number | undefined
  /** Tokens of a turn that does not say; 100 of input and 10 of output unless given. */
  readonly usage?: Turn.Usage | undefined
}

/** A part alone is a turn of one part. */
export const turnOf = (step: Part | ScriptedTurn | ReadonlyArray<Part>): ScriptedTurn =>
  "_tag" in step
    ? step._tag === "ScriptedTurn"
      ? step
      : { _tag: "ScriptedTurn", parts: [step], error: undefined }
    : { _tag: "ScriptedTurn", parts: step, error: undefined }

/** How many ids a turn uses up. */
export const callCount = (turn: ScriptedTurn): number => turn.parts.filter((part) => part._tag === "Call").length
