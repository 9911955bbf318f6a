/** What has to hold of conversations whose processes were killed. */
import { Content } from "@wield/core"
import type { CallEvidence, Evidence } from "./evidence.js"
import { answerOf, finalText, plannedCalls, promptOf, turnCount } from "./task.js"

/** Everything that does not hold, each in a line. */
export const violations = (evidence: Evidence): ReadonlyArray<string> => {
  const { conversation } = evidence
  const expected = Array.from({ length: turnCount }, (_, index) => plannedCalls(conversation, index + 1)).flat()
  const names = (calls: ReadonlyArray<{ readonly tool: string; readonly item: string }>) =>
    calls.map(({ item, tool }) => `${tool} ${item}`).join(", ")
  const wrong: Array<string> = []
  const claim = (isSo: boolean, text: string) => {
    if (!isSo) wrong.push(`${conversation}: ${text}`)
  }
  claim(new Set(evidence.ids).size === evidence.ids.length, "two entries have one id")
  claim(
    evidence.prompts.join() === JSON.stringify([Content.text(promptOf(conversation))]),
    `the prompt is there ${evidence.prompts.length} times`
  )
  claim(evidence.said.length === turnCount + 1, `the model took ${evidence.said.length} turns`)
  claim(evidence.said.at(-1) === finalText(conversation), `the last turn says ${evidence.said.at(-1)}`)
  claim(names(evidence.calls) === names(expected), `its calls are ${names(evidence.calls)}`)
  claim(evidence.stray === 0, "there are results of no call")
  return [...wrong, ...evidence.calls.flatMap(violationsOf)]
}

export const isUncertain = (call: CallEvidence): boolean =>
  call.results.some(({ text }) => text.includes("may already have taken effect"))

const violationsOf = (call: CallEvidence): ReadonlyArray<string> => {
  const { isFinished, item, logged, results, rows, tool } = call
  const [result] = results
  const wrong = (text: string) => [`${item}: ${text} (${JSON.stringify(call)})`]
  if (result === undefined || results.length > 1) return wrong(`it has ${results.length} results`)
  const mayRepeat = tool === "look" || tool === "reserve"
  if (isUncertain(call)) {
    if (mayRepeat) return wrong("it is uncertain although it may be repeated")
    if (rows > 1) return wrong(`it happened ${rows} times`)
    if (!isBegun(logged)) return wrong("it is uncertain and was never begun")
    return isFinished ? wrong("it is uncertain although its end was recorded") : []
  }
  if (result.isError || !result.text.includes(answerOf(tool, item))) return wrong(`the model was told ${result.text}`)
  if (rows !== (tool === "look" ? 0 : 1)) return wrong(`it happened ${rows} times`)
  // What only reads needs no commit of its own.
  if (tool === "look") return logged.length === 0 ? [] : wrong("the journal has a call that only reads")
  return isBegun(logged) && isFinished ? [] : wrong("the journal knows nothing of it")
}

/** A process that was killed between the journal's answer and the log has asked, and the next one is told that it began. */
const isBegun = (logged: CallEvidence["logged"]): boolean =>
  logged.includes("Fresh") || (logged[0] === "Asked" && logged[1] !== "Begun")
