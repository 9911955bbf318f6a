import { useEffect, useState } from "preact/hooks"
import { leaveRun, type RunLog, watchRun } from "./live.js"

/** The log of a run for as long as a component shows it. */
export const useRun = (id: string | undefined): RunLog | undefined => {
  const [log, setLog] = useState<RunLog>()
  useEffect(() => {
    if (id === undefined) return setLog(undefined)
    setLog(watchRun(id))
    return () => leaveRun(id)
  }, [id])
  return log?.id === id ? log : undefined
}
