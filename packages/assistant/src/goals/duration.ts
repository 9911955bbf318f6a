/** The time to a goal's completion: `3 DAYS`, in any case, singular or plural. */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { InvalidGoal } from "../GoalError.js"

const units = ["hour", "day", "week", "month", "year"] as const

/** Farther than anybody plans; beyond it dates cannot be written any more. */
const most = 100_000

/** When it will be over, by the calendar: a month after 31 January is the last of February. */
export const dueAfter = (text: string, now: DateTime.Utc): Either.Either<DateTime.Utc, InvalidGoal> => {
  const [, number = "", name = ""] = /^\s*(\d+)\s+([a-z]+?)s?\s*$/i.exec(text) ?? []
  const unit = units.find((known) => known === name.toLowerCase())
  const amount = Number(number)
  if (unit === undefined || amount > most) {
    return Either.left(
      new InvalidGoal({
        field: "time_to_completion",
        expected: `a number and one of HOURS, DAYS, WEEKS, MONTHS, YEARS, such as "3 DAYS"`,
        received: text.slice(0, 100)
      })
    )
  }
  return Either.right(DateTime.add(now, { [`${unit}s`]: amount }))
}
