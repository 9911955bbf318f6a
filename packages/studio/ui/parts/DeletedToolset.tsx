/** Says that the set that was active in a conversation was deleted, with the ways out. */
import type { ComponentChildren } from "preact"
import type * as Api from "../../src/Api.js"
import { post, segment } from "../state/http.js"
import { addressOfPage } from "../state/route.js"
import { about, announcement, conversation, isReadOnly, toolsets, versions } from "../state/store.js"
import { useLoaded } from "../state/useLoaded.js"
import { Problem, useAction } from "./Controls.js"
import { Text } from "./Text.js"

/** A conversation goes back to what new ones get; new ones, to what the program says. */
export const reset = async (of: string | undefined): Promise<void> => {
  await post<Api.ToolsetPreview>("toolsets/activate", { conversation: of ?? "" })
  announcement.value = "Activated. It counts from the next turn on."
  await toolsets.load()
}

/** The words for the way back. */
export const wayBack = (of: string | undefined): string =>
  of === undefined ? "Back to what the program says" : "Use what new conversations get"

export const DeletedToolset = ({
  all: { active, isInitial },
  children,
  of
}: {
  readonly all: Pick<Api.Toolsets, "active" | "isInitial">
  readonly of: string | undefined
  /** How to choose another one. */
  readonly children: ComponentChildren
}) => {
  const { problem, run } = useAction()
  /** New conversations get the deleted set too: going back to what they get is no way out. */
  const isInherited = isInitial && of !== undefined
  return (
    <div class="notice notice-warn stack" role="alert">
      <p>
        The active set <Text>{active.name ?? ""}</Text> was deleted, so no tool is on offer. {children}
      </p>
      {!isInherited && !isReadOnly() && (
        <p>
          <button type="button" onClick={() => run(() => reset(of))}>
            {wayBack(of)}
          </button>
        </p>
      )}
      <Problem>{problem}</Problem>
    </div>
  )
}

const OfConversation = ({ id }: { readonly id: string }) => {
  const { value } = useLoaded<Api.Toolsets>(`toolsets?conversation=${segment(id)}`, versions.toolsets)
  return value?.active.type !== "unknown" ? null : (
    <DeletedToolset all={value} of={id}>
      <a href={addressOfPage("toolsets")} onClick={() => (conversation.value = id)}>
        Choose another set
      </a>
    </DeletedToolset>
  )
}

/** Beside a conversation: nothing while its set is there. */
export const MissingToolset = ({ id }: { readonly id: string }) =>
  about.use()?.parts.toolsets === true ? <OfConversation id={id} /> : null
