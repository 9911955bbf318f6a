/** How a call ended, and the exact text that a model reads of it. */
import type * as Api from "../../src/Api.js"
import { Json, LongText, Text } from "./Text.js"
import { renderDuration } from "./time.js"

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

export const outcomeTone = ({ _tag, isError }: Pick<Api.Outcome, "_tag" | "isError">): string =>
  _tag === "Deferred" ? "warn" : isError ? "wrong" : "good"

export const OutcomeTag = ({ outcome }: { readonly outcome: Pick<Api.Outcome, "_tag" | "isError"> }) => (
  <span class={`tag ${outcomeTone(outcome)}`}>{outcome._tag}</span>
)

/** Only what shows nothing else than pixels. */
const isPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)

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
    {outcome.text !== undefined && (
      <div class="stack tight">
        <h3>What the model reads</h3>
        <LongText label="What the model reads" text={outcome.text} />
      </div>
    )}
    {outcome.images?.map(({ data, mediaType }, index) =>
      isPicture(mediaType) ? (
        <img
          key={index}
          class="picture"
          src={`data:${mediaType};base64,${data}`}
          alt={`Image ${index + 1} of the result`}
        />
      ) : (
        <p key={index} class="quiet">
          A file of the type <Text>{mediaType}</Text>
        </p>
      )
    )}
    {outcome.value !== undefined && (
      <details>
        <summary>Value as JSON</summary>
        <Json label="Value as JSON" value={outcome.value} />
      </details>
    )}
  </div>
)
