/** Whose active toolset is looked at and changed. */
import { useId } from "preact/hooks"
import { conversation, conversations, sessions } from "../state/store.js"
import { showHidden } from "./visible.js"

export const ConversationSelect = ({ label }: { readonly label: string }) => {
  const id = useId()
  const stored = conversations.use()?.conversations ?? []
  const chats = sessions.use()?.sessions ?? []
  const titles = new Map(chats.map((chat) => [chat.conversation, `Chat ${chat.conversation}`]))
  if (conversation.value !== undefined) titles.set(conversation.value, conversation.value)
  for (const { id: known, title } of stored) titles.set(known, title ?? known)
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
            {showHidden(title)}
          </option>
        ))}
      </select>
    </div>
  )
}
