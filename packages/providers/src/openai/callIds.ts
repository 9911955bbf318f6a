/**
 * Ids that are unique within one turn, whatever the server sent.
 */

export interface CallId {
  readonly id: string
  readonly nativeId: string | undefined
}

/**
 * Gives each call of one turn its id: the server's own, where there is one and
 * no earlier call of the turn has it; otherwise `call_<index>`. Google's
 * OpenAI-compatible endpoint sends `""`, some local servers nothing, and a few
 * repeat an id within a turn.
 */
export const callIds = (): ((sent: unknown, index: number) => CallId) => {
  const taken = new Set<string>()
  return (sent, index) => {
    const nativeId = typeof sent === "string" && sent !== "" ? sent : undefined
    let id = nativeId ?? `call_${index}`
    for (let attempt = 2; taken.has(id); attempt++) id = `${nativeId ?? `call_${index}`}_${attempt}`
    taken.add(id)
    return { id, nativeId }
  }
}
