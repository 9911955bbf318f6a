/** A user with something in every table, all of it with one secret word, and under names that anybody could guess. */
import { CurrentContext, Documents, Goals, Memories, type Owner, UserProfile } from "@wield/assistant"
import { Effect } from "effect"

/** In whatever is secret, and in nothing that another user sends. */
export const secret = "kestrel"

export const live = (user: Owner.UserId, conversation: Owner.ConversationId) =>
  Effect.gen(function* () {
    const memories = yield* Memories.Memories
    const goals = yield* Goals.Goals
    const context = yield* CurrentContext.CurrentContext
    const profile = yield* UserProfile.UserProfile
    const documents = yield* Documents.Documents

    yield* memories.create(user, {
      name: "Passport",
      text: `The number is ${secret} 1`,
      keywords: [`${secret} 2`],
      sources: [{ type: "ContextMessageSet", name: "talk", text: `user: the number is ${secret} 3` }]
    })
    yield* memories.create(user, { name: `Combination of the safe: ${secret} 4`, text: "It opens to the left" })
    const changed = yield* memories.update(user, "Passport", `It is ${secret} 5 now`)
    yield* context.add(user, conversation, { type: "memory", id: changed.id })

    const trip = yield* goals.create(user, {
      name: "Trip",
      description: `To ${secret} island`,
      strategy: `By ${secret} airways`,
      endCondition: `${secret} beach`
    })
    yield* goals.addUpdate(user, "Trip", `Booked with ${secret}`)
    yield* context.add(user, conversation, { type: "goal", id: trip.id })
    yield* goals.create(user, { name: "Race", description: `The ${secret} marathon` })
    yield* goals.complete(user, "Race", `In ${secret} hours`)

    yield* documents.ingest(user, {
      address: "notes.md",
      content: `# Notes of ${secret}\n\nThe passport of ${secret} lies in the safe.\n`
    })
    yield* profile.setName(user, "full", `Ada ${secret}`)
    yield* profile.setName(user, "preferred", secret)
    return { number: changed.number }
  })
