/** Times and numbers in words. */
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

export const renderTime = (at: number): string =>
  new Date(at).toDateString() === new Date().toDateString() ? clock.format(at) : day.format(at)

export const renderDuration = (milliseconds: number): string => {
  if (milliseconds > 0 && milliseconds < 9.5) return `${Number(milliseconds.toPrecision(1))} ms`
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((milliseconds % 60_000) / 1000)} s`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 1440)} days`
}

/** How long ago, in one short word or two. */
export const renderAgo = (at: number, now: number): string => {
  const seconds = Math.max(0, (now - at) / 1000)
  if (seconds < 45) return "just now"
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`
  const days = Math.round(seconds / 86_400)
  return days < 60 ? `${count(days, "day")} ago` : day.format(at).replace(/,? \d+:.*/, "")
}

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

/** In the currency of the studio's prices, whichever it is. */
export const renderCost = (cost: number): string => cost.toLocaleString(undefined, { maximumSignificantDigits: 3 })
