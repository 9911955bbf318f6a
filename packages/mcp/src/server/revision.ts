/** What each revision of the protocol can say. Revisions are dates, so that they compare as text. */

export const modern = "2026-07-28"

/** The first revision that has it. */
export const since = {
  annotations: "2025-03-26",
  audio: "2025-03-26",
  progressMessage: "2025-03-26",
  structured: "2025-06-18",
  resourceLink: "2025-06-18",
  title: "2025-06-18",
  icons: "2025-11-25",
  /** Output schemas and structured results that are not objects. */
  anyStructured: modern
} as const

export const can = (revision: string, feature: keyof typeof since): boolean => revision >= since[feature]

export const isModern = (revision: string): boolean => revision >= modern
