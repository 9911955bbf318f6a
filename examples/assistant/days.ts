/** What is said on two days, where there is no model to ask: by the user, by the model, and by the one that the tools ask. */
import { ScriptedModel } from "@wield/testing"

const { call, text, turn } = ScriptedModel

export const practice = "export const tempo = 60\nplay(tempo)\n"

export const manual = [
  "# Violin",
  "Wipe the rosin off after playing.",
  "## Strings",
  "Change the strings every six months; tune the new ones twice a day.",
  ""
].join("\n\n")

export const firstDay = {
  user: [
    "I am Ada Lovelace, and I want to play the violin in public by the summer.",
    "Mornings I drink green tea, at seven.",
    "I drink green tea in the mornings, at seven o'clock.",
    "At seven in the mornings it is green tea that I drink.",
    "/ingest manual.md",
    "What does my manual say about new strings?",
    "Where could I play?",
    "Set the tempo in practice.ts to 80.",
    "y"
  ],
  model: [
    turn(
      call("set_user_full_name", { full_name: "Ada Lovelace" }),
      call("create_goal", {
        goal_name: "Play in public",
        strategy: "The violin",
        time_to_completion: "6 MONTHS",
        priority: 1
      })
    ),
    text("Noted, Ada."),
    call("save_memory", { content: "Drinks green tea in the morning at seven" }),
    text("Noted."),
    call("save_memory", { content: "In the morning drinks green tea at seven o'clock" }),
    text("Noted."),
    call("save_memory", { content: "At seven in the morning it drinks green tea", importance: 7 }),
    text("Noted."),
    call("search_documents", { query: "new strings" }),
    text("Tune them twice a day."),
    call("search_for_urls", { query: "open stage" }),
    text("There is an open stage at the harbour."),
    call("make_coding_edit", {
      working_dir: "project",
      file_name: "practice.ts",
      instruction: "Set the tempo to 80"
    }),
    text("It is 80 now.")
  ]
}

export const secondDay = {
  user: ["What do I drink in the mornings, and what did I want to do in public?", "Yesterday I played at the harbour!"],
  model: [
    text("Green tea, at seven. And you wanted to play the violin."),
    call("mark_goal_completed", { goal_name: "Play in public", closing_comments: "At the harbour" }),
    text("Congratulations!")
  ]
}

/** The model that the tools ask: it knows one edit and one consolidation. */
export const helper = (prompt: string): string => {
  const word = /<<(\w+) search>>/.exec(prompt)?.[1]
  return word === undefined
    ? "# Reasoning\nAll of them are about the tea.\n\n# Tea in the morning\nDrinks green tea each morning, at seven."
    : [
        `<<${word} search>>`,
        "export const tempo = 60",
        `<<${word} replace>>`,
        "export const tempo = 80",
        `<<${word} end>>`
      ].join("\n")
}
