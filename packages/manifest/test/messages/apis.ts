/** Three real APIs that keep messages: REST and GraphQL servers on loopback, and a table of SQLite. */
import * as FileStore from "@wield/agent/FileStore"
import { HttpGuard } from "@wield/http"
import { GraphQlExecutor, Manifest, RestExecutor } from "@wield/manifest"
import * as ApiConversationStore from "@wield/manifest/ApiConversationStore"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { SqlClient } from "@effect/sql/SqlClient"
import { Context, Effect, Layer } from "effect"
import { buildSchema } from "graphql"
import { createHandler } from "graphql-http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { folder } from "../sql/run.js"

export type Row = { readonly [field: string]: unknown }
export type Options = Omit<ApiConversationStore.Options, "factories" | "executors">

/** Answers a request with JSON, or with a status alone. */
type Answer = (request: { method: string; url: string; body: string }) => unknown

const server = (answer: Answer) =>
  Effect.gen(function* () {
    const respond = (request: IncomingMessage, response: ServerResponse) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const { method = "", url = "" } = request
        void Promise.resolve(answer({ method, url, body: Buffer.concat(pieces).toString() })).then((value) => {
          response.writeHead(typeof value === "number" ? value : 200, { "content-type": "application/json" })
          response.end(typeof value === "number" ? "{}" : JSON.stringify(value))
        })
      })
    }
    const http = createServer(respond)
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void http.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          http.close(() => resume(Effect.void))
          http.closeAllConnections()
        })
    )
    const address = http.address()
    return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

/** What is kept is there to be looked at and changed; `status` is what saves are answered with. */
export const rest = (save = "", get = "") =>
  Effect.gen(function* () {
    const kept: Array<Row> = []
    const state = { status: 200, asked: [] as Array<string> }
    const host = yield* server(({ body, method, url }) => {
      state.asked.push(`${method} ${url}`)
      const user = decodeURIComponent(/^\/users\/([^/?]*)/.exec(url)?.[1] ?? "")
      if (method === "GET") {
        const limit = Number(new URL(url, "http://x").searchParams.get("limit"))
        return kept.filter((row) => row["user"] === user).slice(-limit)
      }
      if (state.status !== 200) return state.status
      kept.push({ ...(JSON.parse(body) as Row), user })
      return {}
    })
    const client = yield* Layer.build(HttpGuard.layer({ allowedHosts: [host] }))
    const text = `
- type: api
  function: { name: internalsavechatmessage ${save} }
  context: [userid]
  api: { path: "/users/{userid}/messages", method: POST }
- type: api
  function: { name: INTERNALGETCHATMESSAGES ${get} }
  context: [userid]
  api: { path: "/users/{userid}/messages?limit={limit}", method: GET }
`
    const store = (options: Options = {}) =>
      Effect.flatMap(Manifest.parse(text), (manifest) =>
        ApiConversationStore.make(manifest, {
          ...options,
          executors: { default: RestExecutor.make({ url: `http://${host}`, retry: { times: 0 } }) }
        })
      ).pipe(Effect.provide(client))
    return { kept, state, store }
  })

export const graphQl = Effect.gen(function* () {
  const kept: Array<Row> = []
  const handle = createHandler({
    schema: buildSchema(`
      input Message {
        role: String! content: String! name: String functionCall: String uuid: String
        timestamp: String numTokens: Int customerid: Int!
      }
      type Saved { role: String! content: String! name: String functionCall: String uuid: String timestamp: String }
      type Mutation { AddChatMessage(message: Message!): Saved }
      type Query { CustomerChatMessage(customerid: Int!, limit: Int): [Saved!]! }
    `),
    rootValue: {
      AddChatMessage: ({ message }: { readonly message: Row }) => (kept.push(message), message),
      CustomerChatMessage: ({ customerid, limit }: { readonly customerid: number; readonly limit: number }) =>
        kept
          .filter((row) => row["customerid"] === customerid)
          .toReversed()
          .slice(0, limit)
    }
  })
  const host = yield* server(async ({ body, method, url }) => {
    const [answer] = await handle({
      method,
      url,
      headers: { "content-type": "application/json", accept: "application/json" },
      body,
      raw: undefined,
      context: undefined
    })
    return JSON.parse(String(answer))
  })
  const client = yield* Layer.build(HttpGuard.layer({ allowedHosts: [host] }))
  const variables =
    "$role: String!, $content: String!, $name: String, $functionCall: String, $uuid: String, $timestamp: String, $numTokens: Int"
  const fields =
    "role: $role, content: $content, name: $name, functionCall: $functionCall, uuid: $uuid, timestamp: $timestamp, numTokens: $numTokens"
  const text = JSON.stringify([
    {
      type: "api",
      function: { name: "InternalSaveChatMessage" },
      context: ["customerid"],
      api: {
        query: `mutation Add(${variables}, $customerid: Int!) { AddChatMessage(message: {${fields}, customerid: $customerid}) { uuid } }`
      }
    },
    {
      type: "api",
      function: { name: "InternalGetChatMessages" },
      context: ["customerid"],
      api: {
        query:
          "query Get($customerid: Int!, $limit: Int = 10) { messages: CustomerChatMessage(customerid: $customerid, limit: $limit) { role content functionCall name uuid timestamp } }"
      }
    }
  ])
  const store = (options: Options = {}) =>
    Effect.flatMap(Manifest.parse(text), (manifest) =>
      ApiConversationStore.make(manifest, {
        ...options,
        executors: { default: GraphQlExecutor.make({ url: `http://${host}/graphql` }) }
      })
    ).pipe(Effect.provide(client))
  return { kept, store }
})

/** With `metadata`, whole entries are kept. */
export const sql = (withMetadata = false) =>
  Effect.gen(function* () {
    const path = `${yield* folder}/messages.db`
    const extra = withMetadata ? ", metadata" : ""
    const client = Context.get(yield* Layer.build(FileStore.layerClient({ path })), SqlClient)
    yield* client`CREATE TABLE messages (customer TEXT, session TEXT, role TEXT, content TEXT, name TEXT, function_call TEXT, uuid TEXT UNIQUE, timestamp INTEGER, num_tokens INTEGER, metadata TEXT)`
    const values = withMetadata ? ", :metadata" : ""
    const text = `
- type: api
  function: { name: InternalSaveChatMessage, parameters: { properties: { timestamp: { type: integer } } } }
  context: [customer, session]
  api:
    write: true
    query: >-
      INSERT INTO messages (customer, session, role, content, name, function_call, uuid, timestamp, num_tokens${extra})
      VALUES (:customer, :session, :role, :content, :name, :function_call, :uuid, :timestamp, :num_tokens${values})
- type: api
  function: { name: InternalGetChatMessages }
  context: [customer, session]
  api:
    query: >-
      SELECT role, content, name, function_call, uuid, timestamp${extra} FROM messages
      WHERE customer = :customer AND session = :session ORDER BY timestamp DESC LIMIT :limit
`
    const manifest = yield* Manifest.parse(text)
    const executor = yield* Effect.provideService(SqlExecutor.make(), SqlClient, client)
    return {
      store: (options: Options = {}) =>
        ApiConversationStore.make(manifest, { ...options, executors: { default: executor } }),
      client
    }
  })
