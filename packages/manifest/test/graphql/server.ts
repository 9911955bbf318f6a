/** A shop on loopback that speaks GraphQL, by graphql-http, and says what it was sent. */
import { Effect, type Scope } from "effect"
import { buildSchema, GraphQLError } from "graphql"
import { createHandler } from "graphql-http"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"

export const schema = `
  type Query {
    orders(customer: ID!, status: Status = OPEN, limit: Int! = 10, filter: Filter): [Order!]!
    echo(text: String!): String!
    flaky: Int!
    half: Half
  }
  type Mutation { place(order: OrderInput!): Order! flakyOrder: Int! }
  type Subscription { placed: Order }
  enum Status { OPEN SENT }
  input Filter { tags: [String!], price_range: Range, not: Filter }
  input Range { min: Float, max: Float }
  input OrderInput { product: ID!, count: Int = 1, note: String }
  type Order { id: ID! asked: String! }
  type Half { good: Int bad: Int }
`

export interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly query: string; readonly variables: unknown; readonly operationName?: string }
}

export interface Shop {
  readonly url: string
  readonly host: string
  readonly asked: ReadonlyArray<Asked>
}

/** What the server does instead of answering a request; nothing unless it returns true. */
export type Instead = (response: ServerResponse, index: number, asked: Asked) => boolean

export const shop = (instead: Instead = () => false): Effect.Effect<Shop, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const told = (parameters: unknown) => ({ id: "1", asked: JSON.stringify(parameters) })
    const handle = createHandler({
      schema: buildSchema(schema),
      rootValue: {
        orders: (parameters: unknown) => [told(parameters)],
        echo: ({ text }: { readonly text: string }) => text,
        flaky: () => 1,
        half: () => ({
          good: 1,
          bad: () => {
            throw new GraphQLError("There is no second half", { extensions: { secret: "stack" } })
          }
        }),
        place: (parameters: unknown) => told(parameters),
        flakyOrder: () => 1
      }
    })
    const http = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const text = Buffer.concat(pieces).toString()
        const one: Asked = { headers: request.headers, body: JSON.parse(text) }
        asked.push(one)
        if (instead(response, asked.length - 1, one)) return
        const { method = "", url = "", headers } = request
        void handle({ method, url, headers, body: text, raw: request, context: {} }).then(([body, init]) => {
          response.writeHead(init.status, init.statusText, init.headers).end(body)
        })
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        http.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          http.close(() => resume(Effect.void))
          http.closeAllConnections()
        })
    )
    const address = http.address()
    const host = `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
    return { url: `http://${host}/graphql`, host, asked }
  })
