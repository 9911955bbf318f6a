/**
 * Ready-made toolkits: memories, goals, documents, user, web, code, logs.
 *
 * @since 0.1.0
 */
export * as Owner from "./Owner.js"
export * as SearchIndex from "./SearchIndex.js"
export * as StoreError from "./StoreError.js"
