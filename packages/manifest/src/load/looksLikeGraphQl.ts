/** Whether a query is a document of GraphQL rather than SQL, where nothing else tells. */
export const looksLikeGraphQl = (query: string | undefined): boolean =>
  // No statement of SQL begins so.
  /^(?:\s|#[^\n]*(?:\n|$))*(?:\{|(?:query|mutation|subscription|fragment)\b)/.test(query ?? "")
