/**
 * The built-in tools of Sapphire: the seven of its documentation and one more, with the
 * parameters that they take. It has no schemas to read: the names
 * are in the list of its document, the parameters in what is known of its tools.
 */
interface Expected {
  readonly parameters: Readonly<Record<string, string>>
  readonly required: ReadonlyArray<string>
}

export const sapphire: { readonly [tool: string]: Expected } = {
  save_memory: { parameters: { content: "string", importance: "integer" }, required: ["content"] },
  search_memory: { parameters: { query: "string", limit: "integer" }, required: ["query"] },
  get_recent_memories: { parameters: { count: "integer" }, required: [] },
  search_for_urls: { parameters: { query: "string" }, required: ["query"] },
  get_website_from_url: { parameters: { url: "string" }, required: ["url"] },
  get_wikipedia: { parameters: { topic: "string" }, required: ["topic"] },
  research_topic: { parameters: { topic: "string" }, required: ["topic"] },
  // Is built in, though the list leaves it out.
  delete_memory: { parameters: { memory_id: "integer" }, required: ["memory_id"] }
}

/** What a tool takes besides, always optional: a long page can be read on from a place. */
export const besides: { readonly [tool: string]: Readonly<Record<string, string>> } = {
  get_website_from_url: { start: "integer" }
}
