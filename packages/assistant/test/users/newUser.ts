/** A user whom no other test knows, and what a model can call for them: databases are shared within a file. */
import { Owner } from "@wield/assistant"
import { type ToolRunner } from "@wield/core"
import { Effect } from "effect"

let users = 0

/** Enough of a runner to run calls for a user. */
interface Runs<O> {
  readonly forRun: (options: {
    readonly context: { readonly user_id: Owner.UserId; readonly conversation_id: Owner.ConversationId }
  }) => { readonly run: (call: Parameters<ToolRunner.Runner<unknown>["run"]>[0]) => O }
}

export const newUser = <A extends { readonly _tag: string }, E, R>(runner: Runs<Effect.Effect<A, E, R>>) => {
  const owner = Owner.UserId.make(`user ${++users}`)
  const conversation = Owner.ConversationId.make(`conversation of ${owner}`)
  const run = runner.forRun({ context: { user_id: owner, conversation_id: conversation } })
  let calls = 0
  /** The outcome's tag, and what the model reads of it. */
  const call = (name: string, parameters: object) =>
    Effect.map(run.run({ id: `call ${++calls}`, name, arguments: JSON.stringify(parameters) }), (outcome) => ({
      _tag: outcome._tag,
      encoded: "encoded" in outcome ? outcome.encoded : outcome
    }))
  return { owner, conversation, call }
}
