import { now } from "../state/clock.js"
import { renderAgo, renderTime } from "./time.js"

/** How long ago; when exactly shows on a longer look. */
export const Ago = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={renderTime(at)}>
    {renderAgo(at, now.value)}
  </time>
)
