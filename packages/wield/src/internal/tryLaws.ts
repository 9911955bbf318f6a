/** What is wrong, if anything is. `at` begins the names that a law may use. */
export type Law<Subject> = readonly [law: string, holds: (subject: Subject, at: string) => Promise<string | undefined>]

/** How many hold; rejects with a sentence for each that does not. */
export const tryLaws = async <Subject>(
  laws: ReadonlyArray<Law<Subject>>,
  subject: Subject,
  clear: (at: string) => Promise<unknown>
): Promise<number> => {
  const base = `laws/${crypto.randomUUID()}/`
  const broken: Array<string> = []
  for (const [law, holds] of laws) {
    const at = `${base}${law.replace(/[^a-z]+/g, "-").slice(0, 40)}/`
    try {
      const problem = await holds(subject, at)
      if (problem !== undefined) broken.push(`${law}: ${problem}`)
    } catch (error) {
      broken.push(`${law}: it rejects with ${messageOf(error)}`)
    }
    await clear(at).catch(() => {})
  }
  if (broken.length > 0) throw new Error(`These laws do not hold:\n- ${broken.join("\n- ")}`)
  return laws.length
}

/** With what the database said, which the errors of stores carry. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message}: ${messageOf(error.cause)}`
    : error.message
}
