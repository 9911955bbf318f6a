import { describe, expect, it, layer } from "@effect/vitest"
import { Owner, Transcript } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { slowDatabases } from "../databases/databases.js"
import { everything, layerEverything } from "../toolkits/everything.js"
import { everyTool, hiddenOf } from "../toolkits/toolkits.js"
import { attacks, forgeries, overNothingOfUsers } from "./attacks.js"
import { live, secret } from "./life.js"
import { foundOf, rowsOf } from "./rows.js"

it("is tried with every tool of every toolkit", () => {
  const names = everyTool.map(({ name }) => name).sort()
  expect([...Object.keys(attacks), ...overNothingOfUsers].sort()).toEqual(names)
  expect(Object.keys(everything.tools).sort()).toEqual(names)
  const ofUsers = everyTool.filter((tool) => hiddenOf(tool).includes("user_id"))
  expect(ofUsers.map(({ name }) => name).sort()).toEqual(Object.keys(attacks).sort())
  expect(everyTool.filter((tool) => hiddenOf(tool).length > 0)).toHaveLength(ofUsers.length)
})

/** A folder for the documents of each user, and one that may be edited. */
const folders = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-privacy-"))),
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  ),
  (root) => {
    const write = (folder: string, text: string) => {
      mkdirSync(join(root, folder))
      writeFileSync(join(root, folder, "notes.md"), text)
    }
    write("ada", `The ${secret} of the file`)
    write("bob", "A file of another one")
    mkdirSync(join(root, "code"))
    return {
      documents: (user: Owner.UserId) => join(root, user.startsWith("ada") ? "ada" : "bob"),
      code: join(root, "code")
    }
  }
)

/** Only the first user's conversations have been had. */
const transcripts = Layer.succeed(Transcript.Transcript, {
  last: (conversation) =>
    Effect.succeed(conversation.startsWith("of ada") ? [{ role: "user" as const, text: `The word is ${secret}` }] : [])
})

let pairs = 0

/** A user who has a secret, and another one with some things of their own, each in a conversation. */
const pair = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(everything))
  const person = (name: string) => {
    const user = Owner.UserId.make(`${name} ${pairs}`)
    const conversation = Owner.ConversationId.make(`of ${name} ${pairs}`)
    let calls = 0
    const within = (conversation: Owner.ConversationId) => {
      const run = runner.forRun({ context: { user_id: user, conversation_id: conversation } })
      return (tool: string, parameters: Readonly<Record<string, unknown>>) =>
        run.run({ id: `call ${++calls}`, name: tool, arguments: JSON.stringify(parameters) })
    }
    return { user, conversation, within, call: within(conversation) }
  }
  pairs += 1
  const [ada, bob] = [person("ada"), person("bob")]
  yield* live(ada.user, ada.conversation)
  yield* Effect.logInfo(`Signed in with ${secret}`).pipe(Effect.annotateLogs("user_id", ada.user))
  yield* bob.call("create_memory", { name: "Bicycle", text: "It is red" })
  yield* bob.call("create_goal", { goal_name: "Tour", description: "By bicycle" })
  return { ada, bob }
})

for (const { client, name } of slowDatabases) {
  describe(`what a user has in ${name}`, () => {
    const services = Layer.unwrapScoped(Effect.map(folders, layerEverything)).pipe(
      Layer.provide(transcripts),
      Layer.provideMerge(client)
    )
    layer(services)((it) => {
      for (const [tool, calls] of Object.entries(attacks)) {
        it.effect(`is out of reach of another user's ${tool}, whatever a model sends`, () =>
          Effect.gen(function* () {
            for (const { parameters, reveals } of calls) {
              const { ada, bob } = yield* pair
              const before = {
                rows: yield* rowsOf(ada.user),
                found: yield* foundOf(ada.user, `${secret} passport trip`)
              }

              const forged = { ...forgeries(ada.user, ada.conversation), ...parameters }
              const outcomes = [
                yield* bob.call(tool, parameters),
                yield* bob.call(tool, forged),
                // In the very conversation of the other one, should an application let two users into one.
                ...(tool === "contemplate" ? [] : [yield* bob.within(ada.conversation)(tool, forged)])
              ]

              for (const outcome of outcomes) {
                // Refused before the handler it would have shown nothing.
                expect(["Success", "Failure"]).toContain(outcome._tag)
                expect(JSON.stringify(outcome).toLowerCase()).not.toContain(secret)
              }
              expect({
                rows: yield* rowsOf(ada.user),
                found: yield* foundOf(ada.user, `${secret} passport trip`)
              }).toEqual(before)

              const own = JSON.stringify(yield* ada.call(tool, parameters))
              expect(own.includes(secret) || !reveals).toBe(true)
            }
          })
        )
      }
    })
  })
}
