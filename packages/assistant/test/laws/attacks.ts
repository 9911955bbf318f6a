/**
 * For each tool over what a user has: how another user would call it to get at
 * what `live` gives the first one. `reveals` says that the owner reads the secret
 * by the same call, so that reading nothing of it means something.
 */
interface Attack {
  readonly parameters: Readonly<Record<string, unknown>>
  readonly reveals: boolean
}

const reads = (parameters: Attack["parameters"]): Attack => ({ parameters, reveals: true })
const touches = (parameters: Attack["parameters"]): Attack => ({ parameters, reveals: false })

export const attacks: { readonly [tool: string]: ReadonlyArray<Attack> } = {
  create_goal: [touches({ goal_name: "Trip", description: "mine" })],
  rename_goal: [reads({ old_goal_name: "Trip", new_goal_name: "Mine" })],
  add_goal_status_update: [reads({ goal_name: "Trip", status_update_or_note: "seen" })],
  mark_goal_completed: [reads({ goal_name: "Trip" })],
  delete_goal_permanently: [touches({ goal_name: "Trip" }), touches({ goal_name: "Race" })],
  print_goal: [reads({ goal_name: "Trip" }), reads({ goal_name: "Race" }), touches({ goal_name: "" })],
  add_goal_to_current_context: [touches({ goal_name: "Trip" }), touches({ goal_name: "Race" })],
  drop_goal_from_current_context: [touches({ goal_name: "Trip" })],

  create_memory: [touches({ name: "Passport", text: "mine" })],
  print_memory: [reads({ memory_name: "Passport" }), reads({ memory_name: "Completed goal: Race" })],
  update_outdated_or_incorrect_memory: [reads({ memory_name: "Passport", update_text: "mine" })],
  add_memory_to_current_context: [touches({ memory_name: "Passport" })],
  drop_memory_from_current_context: [touches({ memory_name: "Passport" })],
  get_source_list_for_memory: [touches({ memory_name: "Passport" }), touches({ memory_name: "Completed goal: Race" })],
  get_source_content: [
    reads({ source_type: "Memory", source_name: "Passport" }),
    reads({ source_type: "Goal", source_name: "Race" }),
    touches({ source_type: "ContextMessageSet", source_name: "" }),
    touches({ source_type: "DocumentExcerpt", source_name: "notes.md" })
  ],
  save_memory: [touches({ content: "Passport" })],
  search_memory: [reads({ query: "passport number safe combination", limit: 100 })],
  get_recent_memories: [reads({ count: 100 })],
  // The number that the owner has it under, and others.
  delete_memory: [touches({ memory_id: 1 }), reads({ memory_id: 2 }), touches({ memory_id: 4000 })],

  examine_memories: [reads({ query: "What is the number of the passport, and where does the trip go?" })],
  contemplate: [reads({}), reads({ contemplation_prompt: "the passport and the trip" })],

  search_documents: [reads({ query: "passport in the safe" })],
  get_source_documents: [touches({})],
  get_source_doc_metadata: [reads({ address: "notes.md" }), touches({ address: "" })],
  get_document_excerpt: [
    reads({ address: "notes.md", chunk_index: 0 }),
    touches({ address: "notes.md", chunk_index: 9 })
  ],
  ingest_document: [touches({ address: "notes.md" }), touches({ address: "../ada/notes.md" })],
  reingest_document: [touches({ address: "notes.md" }), touches({ address: "../ada/notes.md" })],
  delete_document: [touches({ address: "notes.md" })],

  get_user_full_name: [reads({})],
  get_user_preferred_name: [reads({})],
  set_user_full_name: [reads({ full_name: "Mallory" }), reads({ full_name: "Mallory", override_existing: true })],
  set_user_preferred_name: [
    reads({ preferred_name: "Mal" }),
    reads({ preferred_name: "Mal", override_existing: true })
  ],

  tail_elroy_logs: [reads({ lines: 1000 })]
}

/** Tools over what is nobody's. A tool that stands here must not have anything of a user. */
export const overNothingOfUsers: ReadonlyArray<string> = [
  "search_for_urls",
  "get_website_from_url",
  "get_wikipedia",
  "research_topic",
  "make_coding_edit"
]

/** How a model could say who it wants to be. */
export const forgeries = (user: string, conversation: string): Readonly<Record<string, unknown>> => ({
  user_id: user,
  USER_ID: user,
  User_Id: user,
  userId: user,
  "user-id": user,
  user: user,
  owner: user,
  conversation_id: conversation,
  CONVERSATION_ID: conversation,
  conversationId: conversation,
  context: { user_id: user, conversation_id: conversation },
  ctx: { user_id: user }
})
