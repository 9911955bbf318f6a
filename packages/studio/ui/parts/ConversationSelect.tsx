/** Whose active toolset is looked at and changed. */
import { useId } from "preact/hooks"
import { now } from "../state/clock.js"
import { conversation, conversations, sessions } from "../state/store.js"
import { renderAgo } from "./time.js"
import { showHidden } from "./visible.js"

/** A conversation as a select has it. */
export const conversationOption = ({
  changedAt,
  title = "Without a word"
}: {
  readonly title?: string
  readonly changedAt: number
}): string => `${showHidden(title.slice(0, 60))} · ${renderAgo(changedAt, now.value)}`

export const ConversationSelect = ({ label }: { readonly label: string }) => {
  const id = useId()
  const stored = conversations.use()?.conversations ?? []
  const chats = sessions.use()?.sessions ?? []
  const titles = new Map(chats.map((chat) => [chat.conversation, conversationOption(chat)]))
  if (conversation.value !== undefined && !titles.has(conversation.value)) titles.set(conversation.value, "This one")
  for (const one of stored) titles.set(one.id, conversationOption(one))
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={conversation.value ?? ""}
        onChange={({ currentTarget }) =>
          (conversation.value = currentTarget.value === "" ? undefined : currentTarget.value)
        }
      >
        <option value="">New conversations</option>
        {[...titles].map(([known, title]) => (
          <option key={known} value={known}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}
