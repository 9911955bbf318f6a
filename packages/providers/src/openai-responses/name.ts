/** The name of the wire format, in turns and errors. */
export const name = "openai-responses"
