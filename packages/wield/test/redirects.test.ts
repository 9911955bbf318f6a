/** A server that redirects learns no more of a request than the request's own server does. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { wield } from "wield"
import { graphQl, openApi } from "wield/manifest"

const serving = async (answer: RequestListener) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on a port has one.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** Keeps the requests that it gets. */
const listening = async () => {
  const heard: Array<IncomingMessage> = []
  const server = await serving((request, response) => {
    heard.push(request)
    response.setHeader("content-type", "application/json").end('{"data":{"me":"Ada"}}')
  })
  return { ...server, heard }
}

const redirecting = (status: number, to: (path: string) => string) =>
  serving((request, response) => {
    if (request.url === "/there") {
      response.setHeader("content-type", "application/json").end(JSON.stringify(request.headers["x-key"]?.length))
    } else response.writeHead(status, { location: to(request.url ?? "") }).end()
  })

const specification = (url: string) => ({
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  servers: [{ url }],
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  security: [{ key: [] }],
  paths: {
    "/orders": {
      get: { operationId: "get_orders", responses: { 200: { description: "All" } } },
      post: { operationId: "make_order", responses: { 200: { description: "It" } } },
      delete: { operationId: "delete_orders", responses: { 200: { description: "Gone" } } }
    }
  }
})

const orders = (url: string) =>
  wield({
    toolsets: [openApi({ text: specification(url), name: "orders", environment: { ORDERS_KEY_KEY: "hunter2" } })],
    logger: () => {}
  })

it("the key of an API goes to no other server", async () => {
  await using other = await listening()
  for (const status of [301, 302, 303, 307, 308]) {
    await using api = await redirecting(status, () => `${other.url}/stolen`)
    await using shop = await orders(api.url)
    expect(await shop.run().call("get_orders")).toEqual({ data: { me: "Ada" } })
    await shop
      .run()
      .call("make_order")
      .catch(() => undefined)
    const headers = { "x-key": "hunter2" }
    await using people = await wield({
      toolsets: [graphQl({ text: "type Query { me: ID }", url: api.url, headers })],
      logger: () => {}
    })
    await people
      .run()
      .call("me")
      .catch(() => undefined)
  }
  expect(other.heard.length).toBeGreaterThanOrEqual(11)
  expect(other.heard.every(({ method }) => method === "GET")).toBe(true)
  expect(JSON.stringify(other.heard.map(({ rawHeaders }) => rawHeaders))).not.toContain("hunter2")
})

it("a redirect within a server is followed with the key, and one without end is an error", async () => {
  await using api = await redirecting(302, () => "/there")
  await using shop = await orders(api.url)
  expect(await shop.run().call("get_orders")).toBe("hunter2".length)
  await using endless = await redirecting(302, (path) => path)
  await using lost = await orders(endless.url)
  await expect(lost.run().call("get_orders")).rejects.toThrow("status 302")
})

it("a change that is redirected is not taken for made: only its server's own words say that it was", async () => {
  for (const status of [301, 302, 307, 308]) {
    await using api = await redirecting(status, () => "/there")
    await using shop = await orders(api.url)
    await expect(shop.run().call("delete_orders")).rejects.toThrow(`status ${status}`)
  }
})

it("the key of a model goes to no other server, and the error says what to give", async () => {
  await using other = await listening()
  await using api = await redirecting(302, () => `${other.url}/stolen`)
  await using shop = await wield({ tools: [] })
  const agent = shop.agent({ model: { format: "anthropic", model: "m", key: "hunter2", url: api.url } })
  await expect(agent.ask("Hello?")).rejects.toThrow("redirects are not followed")
  expect(other.heard).toEqual([])
})
