/**
 * The budget for a model's mistakes: of each tool in a row, and of the run.
 */
import { Outcome } from "@wield/core"
import { TooManyMistakes } from "../AgentError.js"

export class Mistakes {
  readonly #inARow = new Map<string, number>()
  #total = 0

  constructor(
    readonly conversation: string,
    readonly limits: { readonly perTool: number; readonly total: number }
  ) {}

  /** What is wrong once these outcomes are counted. */
  count(outcomes: ReadonlyArray<Outcome.Outcome>): TooManyMistakes | undefined {
    let over: TooManyMistakes | undefined
    for (const outcome of outcomes) {
      if (!Outcome.isModelMistake(outcome)) {
        this.#inARow.delete(outcome.name)
        continue
      }
      const inARow = (this.#inARow.get(outcome.name) ?? 0) + 1
      this.#inARow.set(outcome.name, inARow)
      this.#total++
      if (over !== undefined) continue
      const told = Outcome.text(outcome) ?? ""
      if (inARow > this.limits.perTool) over = this.#over("tool", this.limits.perTool, outcome.name, told)
      else if (this.#total > this.limits.total) over = this.#over("run", this.limits.total, outcome.name, told)
    }
    return over
  }

  /** The model answered without the tool that it should have answered by. */
  unanswered(told: string): TooManyMistakes | undefined {
    this.#total++
    return this.#total > this.limits.total ? this.#over("run", this.limits.total, undefined, told) : undefined
  }

  #over(of: "tool" | "run", limit: number, tool: string | undefined, told: string): TooManyMistakes {
    return new TooManyMistakes({
      conversation: this.conversation,
      of,
      limit,
      told,
      ...(tool === undefined ? {} : { tool })
    })
  }
}
