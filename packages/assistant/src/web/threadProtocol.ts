/** What a thread and who starts it say to each other, besides pages and what they read as. */

/** Tells the program of a thread that it was started as one. */
export const purpose = "@wield/assistant/HtmlThread"

/** Said once all modules are loaded. */
export const ready = "ready"
