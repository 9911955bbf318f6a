/** What is left of orders: payments made, and results that tell the model that one may have been made. */
import { withClient } from "../../peers/durable/durable.js"

export interface Counts {
  /** Different ones. */
  readonly paid: number
  readonly doubled: number
  /** Only Wield's tell. */
  readonly uncertain: number
}

export const countPayments = async (url: string): Promise<Counts> => {
  const query = <Row>(text: string): Promise<Row | undefined> =>
    // The table may not be there.
    withClient(url, async (client) => (await client.query(text)).rows[0]).catch(() => undefined)
  const made = await query<{ readonly paid: number; readonly doubled: number }>(`SELECT count(*)::int AS paid,
    coalesce(sum(times - 1), 0)::int AS doubled
    FROM (SELECT count(*) AS times FROM payments GROUP BY order_name, number) AS payments`)
  const named = await query<{ readonly uncertain: number }>(`SELECT count(*)::int AS uncertain FROM wield_entries
    WHERE json LIKE '%may already have taken effect%'`)
  return { paid: 0, doubled: 0, uncertain: 0, ...made, ...named }
}

/** What must not have happened. A payment that was not made, and is not named uncertain, is lost. */
export const findWrong = ({ doubled, paid, uncertain }: Counts, due: number): ReadonlyArray<string> => [
  ...(doubled > 0 ? [`${doubled} payments were made twice`] : []),
  ...(paid + uncertain < due ? [`${due - paid - uncertain} of ${due} payments are lost`] : [])
]
