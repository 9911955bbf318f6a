/** Pages of each protocol in a real browser: its `fetch`, its streams, and reloads that close a connection at any time. */
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { ConversationStore } from "@wield/agent"
import { AgUi, UiMessages } from "@wield/chat"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect } from "effect"
import { rolldown } from "rolldown"
import { disconnectAfterwards, openContext } from "../../../test/browser/Browser.js"
import type { Actions } from "./browserPage.js"
import { type Version, versions } from "./page.js"
import { makeShop, serve } from "./shop.js"

const { call, text, turn, wait } = ScriptedModel

disconnectAfterwards()

let script: Promise<string> | undefined

const buildScript = async (): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL("browserPage.ts", import.meta.url)),
    platform: "browser",
    tsconfig: false,
    logLevel: "silent",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } }
  })
  const { output } = await build.generate({ format: "esm", codeSplitting: false })
  await build.close()
  return output[0].code
}

const visit = (kind: string) =>
  Effect.gen(function* () {
    const goOn = yield* Deferred.make<void>()
    const { chat, paid } = yield* makeShop({
      chat: { whenPageLeaves: "goOn" },
      script: [
        turn(text("One moment."), call("refund", { order: "o1", amount: 5 }, { id: "c1" })),
        turn(text("It is, "), wait(Deferred.await(goOn)), text("paid."))
      ]
    })
    const ofAgUi = AgUi.handler(chat)
    const ofSdk = kind === "AG-UI" ? undefined : UiMessages.handler(chat, { version: Number(kind) as Version })
    const js = yield* Effect.promise(() => (script ??= buildScript()))
    const url = yield* serve(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === "/page.js") return new Response(js, { headers: { "content-type": "text/javascript" } })
      if (pathname === "/") {
        const html = '<!doctype html><script type="module" src="/page.js"></script>'
        return new Response(html, { headers: { "content-type": "text/html" } })
      }
      return pathname.startsWith("/api/chat") && ofSdk !== undefined ? ofSdk(request) : ofAgUi(request)
    })
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => openContext()),
      (opened) => Effect.promise(() => opened.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    const reports: Array<string> = []
    page.on("pageerror", ({ message }) => reports.push(message))
    const open = async () => {
      await page.goto(`${url}/?kind=${kind}`)
      await page.waitForFunction(() => "chat" in window)
      await page.evaluate(() => (window as unknown as Chat).chat.open())
    }
    return { page, open, paid, goOn: Deferred.succeed(goOn, undefined), reports }
  })

interface Chat {
  readonly chat: Actions
}

describe.each([...Object.keys(versions), "AG-UI"])("a page of %s in a browser", (kind) => {
  it.live("approves after a reload, and reads on after another in mid-stream, without loss or repetition", () =>
    Effect.gen(function* () {
      const { goOn, open, page, paid, reports } = yield* visit(kind)
      const shows = (words: ReadonlyArray<string>, isAsked = false) =>
        page.waitForFunction(
          ([expected, waits]) => {
            const { chat } = window as unknown as Chat
            return (chat.isAsked() || !waits) && JSON.stringify(chat.words()) === expected
          },
          [JSON.stringify(words), isAsked] as const
        )
      yield* Effect.promise(async () => {
        await open()
        await page.evaluate(() => void (window as unknown as Chat).chat.say("Pay me back"))
        await shows(["Pay me back", "One moment."], true)

        await open()
        await shows(["Pay me back", "One moment."], true)
        await page.evaluate(() => void (window as unknown as Chat).chat.approve())
        await shows(["Pay me back", "One moment.", "It is, "])

        await open()
        await shows(["Pay me back", "One moment.", "It is, "])
        await Effect.runPromise(goOn)
        await shows(["Pay me back", "One moment.", "It is, paid."])
      })
      expect(paid.length).toBe(1)
      expect(reports).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(ConversationStore.layerMemory))
  )
})
