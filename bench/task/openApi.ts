/**
 * An OpenAPI specification of the size of a large API, made by counting: 1,223 operations, 700 shared schemas that use
 * each other, examples and descriptions, some 12 MB of JSON.
 */
export const operations = 1_223
const schemas = 700

const sentence = (about: string): string =>
  `The ${about} as it is when the request is answered; it may have changed since it was asked for.`

const referenceTo = (index: number) => ({ $ref: `#/components/schemas/Resource${index % schemas}` })

/** Each refers to two that come before it, to itself, and some to one that comes after. */
const schemaOf = (index: number): object => ({
  type: "object",
  description: sentence(`resource number ${index}`),
  required: ["id", "name", "state"],
  properties: {
    id: { type: "integer", minimum: 1, description: sentence("identifier") },
    name: { type: "string", maxLength: 200, description: sentence("name") },
    state: { type: "string", enum: ["open", "closed", `state_${index}`] },
    url: { type: "string", format: "uri" },
    labels: { type: "array", items: { type: "string" } },
    counts: { type: "object", properties: { open: { type: "integer" }, closed: { type: "integer" } } },
    owner: index === 0 ? { type: "string" } : { ...referenceTo(Math.floor(index / 2)), description: sentence("owner") },
    part: index === 0 ? { type: "string" } : referenceTo(Math.floor(index / 3)),
    parent: referenceTo(index),
    ...(index % 10 === 0 ? { next: referenceTo(index + 1) } : {}),
    created_at: { type: "string", format: "date-time" },
    is_private: { type: "boolean", default: false, description: sentence("visibility") }
  }
})

const exampleOf = (index: number): object =>
  Object.fromEntries(Array.from({ length: 28 }, (_, field) => [`field_${field}`, sentence(`value ${index}`)]))

const operationOf = (index: number): object => {
  const parameters = [
    { name: "account", in: "path", required: true, description: sentence("account"), schema: { type: "string" } },
    {
      name: "page",
      in: "query",
      description: sentence("page"),
      schema: { type: "integer", minimum: 1, default: 1 }
    },
    { name: "sort", in: "query", schema: { type: "string", enum: ["created", "updated", `sort_${index}`] } }
  ]
  const body = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1, description: sentence("name") },
      state: { type: "string", enum: ["open", "closed"] },
      labels: { type: "array", items: { type: "string" }, maxItems: 100 },
      settings: { type: "object", properties: { color: { type: "string", pattern: "^[0-9a-f]{6}$" } } },
      ...(index % 8 === 1 ? { template: referenceTo(2) } : {})
    }
  }
  const answer = (schema: object) => ({
    description: sentence("answer"),
    content: { "application/json": { schema, examples: { one: { value: exampleOf(index) } } } }
  })
  return {
    operationId: `resources/operation-${index}`,
    summary: `Operation ${index}`,
    description: sentence(`operation number ${index}`),
    parameters,
    ...(index % 2 === 0 ? {} : { requestBody: { content: { "application/json": { schema: body } } } }),
    responses: { 200: answer({ type: "array", items: referenceTo(index) }), 404: answer(referenceTo(0)) }
  }
}

export const specification = (): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "A large API", version: "1" },
    servers: [{ url: "https://api.example/v1" }],
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, index) => [
        `/accounts/{account}/resource-${index}`,
        { [index % 2 === 0 ? "get" : "post"]: operationOf(index) }
      ])
    ),
    components: {
      schemas: Object.fromEntries(Array.from({ length: schemas }, (_, index) => [`Resource${index}`, schemaOf(index)]))
    }
  })
