/** The shop behind a web server: its page, and `/api/chat` for `useChat`. */
import { Agent } from "@wield/agent"
import { Chat, UiMessages } from "@wield/chat"
import { Toolset } from "@wield/core"
import { RequestGuard, WebServer } from "@wield/http"
import { Effect } from "effect"
import { makeModel } from "./model.js"
import { buildPage } from "./page/build.js"
import { handlers, policy, type Refunds, Shop } from "./shop.js"

const customerOf = (request: Request): string | undefined =>
  /(?:^|; )customer=([\w-]{36})/.exec(request.headers.get("cookie") ?? "")?.[1]

const security = {
  "content-security-policy":
    "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const hosts = new Set(RequestGuard.loopback)

/** Serves until the scope closes. `pace` is what each piece of an answer, and each step of a slow tool, waits for. */
export const serveShop = ({ pace = Effect.void, port = 0 }: { pace?: Effect.Effect<void>; port?: number } = {}) =>
  Effect.gen(function* () {
    const refunds: Refunds = []
    const toolset = yield* Toolset.fromLayer(Shop, handlers({ pace, refunds }))
    const agent = yield* Agent.make({ model: makeModel(pace), toolset, policy })
    const chat = yield* Chat.make({
      agent,
      whenPageLeaves: "goOn",
      authorize: (request) => {
        const user = customerOf(request)
        return Effect.succeed(user === undefined ? undefined : { user, context: { customer: user } })
      }
    })
    const handle = UiMessages.handler(chat, { version: 7 })
    const files = yield* Effect.promise(buildPage)

    const showPage = (request: Request, pathname: string): Response => {
      const file = files.get(pathname)
      if (file === undefined) return new Response("There is no such page", { status: 404 })
      const isNew = pathname === "/" && customerOf(request) === undefined
      const cookie = `customer=${crypto.randomUUID()}; HttpOnly; SameSite=Strict; Path=/`
      return new Response(file.content, {
        headers: { "content-type": file.type, ...security, ...(isNew ? { "set-cookie": cookie } : {}) }
      })
    }

    const listening = yield* WebServer.listen(
      async (request) => {
        // A page of the web must not reach this machine by a name of its own.
        if (!RequestGuard.isHostAllowed(hosts, request.headers.get("host") ?? "")) {
          return new Response("Unknown host", { status: 403 })
        }
        const { pathname } = new URL(request.url)
        return /^\/api\/chat(\/|$)/.test(pathname) ? handle(request) : showPage(request, pathname)
      },
      { host: "127.0.0.1", port }
    )
    return { url: `http://127.0.0.1:${listening}/`, refunds }
  })
