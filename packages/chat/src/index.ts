/** Agents behind chat pages. */
export * as AgUi from "./AgUi.js"
export * as Chat from "./Chat.js"
export * as ChatError from "./ChatError.js"
export * as Pages from "./Pages.js"
export * as Show from "./Show.js"
export * as UiMessages from "./UiMessages.js"
