/** The journal that one of an application on Effect 4 stands for. */
import type { Journal as Journal3 } from "@wield/effect3"
import type { Journal } from "../Journal.js"
import { into4 } from "./seam.js"

const journals = new WeakMap<Journal, Journal3.Service>()

export const journalOf = (service: Journal3.Service): Journal => {
  // The mark exists in the type only.
  const journal = { forget: (run: string) => into4(service.forget(run)) } as unknown as Journal
  journals.set(journal, service)
  return journal
}

/** Of anything else, the runner says that it is no journal. */
export const serviceOf = (journal: Journal): unknown => journals.get(journal) ?? journal
