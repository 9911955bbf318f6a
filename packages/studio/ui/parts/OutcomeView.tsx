/** How a call ended, and the exact text that a model reads of it. */
import type * as Api from "../../src/Api.js"
import { Text } from "./Text.js"
import { renderDuration } from "./time.js"
import { isPicture, Picture, Value } from "./Value.js"
import { type State, stateOfOutcome } from "./words.js"

const sentences: { readonly [Tag in Api.Outcome["_tag"]]: string } = {
  Success: "The tool succeeded.",
  Failure: "The tool failed, as it may.",
  InvalidArguments: "The arguments do not fit the schema.",
  UnknownTool: "There is no tool of this name.",
  Unavailable: "The tool is there, and not on offer.",
  Denied: "A rule or a person denied the call.",
  Deferred: "The call waits.",
  TimedOut: "The tool took too long.",
  Limited: "Too many calls.",
  Interrupted: "The call was interrupted.",
  Uncertain: "The call may have run before: its end is not known.",
  Withheld: "The tool ran. A guard keeps its result from the model.",
  InvalidResult: "The tool's result does not fit its schema.",
  Defect: "The tool broke.",
  MissingContext: "The program did not supply what the tool needs."
}

export const StateTag = ({ state: { tone, word } }: { readonly state: State }) => (
  <span class={`tag ${tone}`}>{word}</span>
)

export const OutcomeTag = ({ outcome }: { readonly outcome: { readonly _tag: string; readonly isError: boolean } }) => (
  <StateTag state={stateOfOutcome(outcome)} />
)

/** Whether the text for the model is the value's JSON, or the value. */
const isSaid = ({ text, value }: Api.Outcome): boolean =>
  text !== undefined && (text.length > 200_000 || text === value || text === JSON.stringify(value))

export const OutcomeView = ({
  milliseconds,
  outcome
}: {
  readonly outcome: Api.Outcome
  readonly milliseconds?: number | undefined
}) => (
  <div class="stack">
    <p class="row">
      <OutcomeTag outcome={outcome} />
      <span>{sentences[outcome._tag]}</span>
      {milliseconds !== undefined && <span class="quiet">{renderDuration(milliseconds)}</span>}
    </p>
    {outcome.reason !== undefined && (
      <p>
        {outcome._tag === "Uncertain" && "Reason: "}
        <Text>{outcome.reason}</Text>
      </p>
    )}
    {outcome.why !== undefined && (
      <p>
        <Text>{outcome.why}</Text>
      </p>
    )}
    {outcome.nearest !== undefined && outcome.nearest.length > 0 && (
      <p>
        Similar names: <Text>{outcome.nearest.join(", ")}</Text>
      </p>
    )}
    {outcome.timeout !== undefined && <p>The limit is {renderDuration(outcome.timeout)}.</p>}
    {outcome.retryAfter !== undefined && <p>The next call is possible in {renderDuration(outcome.retryAfter)}.</p>}
    {outcome.reference !== undefined && (
      <p>
        The program's log has it under <code>{outcome.reference}</code>.
      </p>
    )}
    {outcome.notes.map((note) => (
      <p key={note} class="quiet">
        <Text>{note}</Text>
      </p>
    ))}
    {outcome.text !== undefined && <Value label="What the model reads" value={outcome.text} exact="Exact text" />}
    {outcome.images?.map(({ data, mediaType }, index) =>
      isPicture(mediaType) ? (
        <Picture key={index} data={data} mediaType={mediaType} alt={`Image ${index + 1} of the result`} />
      ) : (
        <p key={index} class="quiet">
          A file of the type <Text>{mediaType}</Text>
        </p>
      )
    )}
    {outcome.value !== undefined && !isSaid(outcome) && <Value label="Value" value={outcome.value} />}
  </div>
)
