/** `wield completions`: a script for a shell. Names of tools come from `wield __complete`, which runs no code. */
import * as Effect from "effect/Effect"
import { print } from "../output/print.js"
import { codes } from "../ExitCode.js"
import type { Command } from "./common.js"
import { leaves, optionsOf } from "./tree.js"

export type Shell = "bash" | "zsh" | "fish"

export const completions = ({ shell }: { readonly shell: Shell }): Command =>
  Effect.as(print(scripts[shell]().trimEnd()), codes.done)

/** The first words, and the second ones of groups. */
const groups = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const path of leaves.keys()) {
    const [first = "", second] = path.split(" ")
    const seconds = found.get(first) ?? []
    found.set(first, second === undefined ? seconds : [...seconds, second])
  }
  return found
}

/** The commands whose first argument is a tool. */
const takesTool = ["call", "inspect"]

const options = (path: string): string => optionsOf(path).join(" ")

const bash = () => `# Completion of wield for bash: eval "$(wield completions bash)"
_wield() {
  local word="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    choices="${[...groups().keys()].join(" ")}"
  else
    case "$first $second" in
${[...leaves.keys()]
  .map((path) => {
    const pattern = path.includes(" ") ? `"${path}"` : `"${path} "*`
    return `      ${pattern}) [[ "$word" == -* ]] && choices="${options(path)}" ;;`
  })
  .join("\n")}
    esac
${[...groups()]
  .filter(([, seconds]) => seconds.length > 0)
  .map(([first, seconds]) => `    [ "$first" = ${first} ] && [ "$COMP_CWORD" -eq 2 ] && choices="${seconds.join(" ")}"`)
  .join("\n")}
    if [ "$COMP_CWORD" -eq 2 ] && [[ "$word" != -* ]]; then
      case "$first" in
        ${takesTool.join("|")}) choices="$(wield __complete "$word" 2>/dev/null)" ;;
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}
complete -o default -F _wield wield
`

const zsh = () => `#compdef wield
# Completion of wield for zsh: eval "$(wield completions zsh)"
_wield() {
  local word="\${words[CURRENT]}" first="\${words[2]}" second="\${words[3]}"
  local -a choices
  if (( CURRENT == 2 )); then
    choices=(${[...groups().keys()].join(" ")})
  else
    case "$first $second" in
${[...leaves.keys()]
  .map((path) => {
    const pattern = path.includes(" ") ? `"${path}"` : `"${path} "*`
    return `      ${pattern}) [[ "$word" == -* ]] && choices=(${options(path)}) ;;`
  })
  .join("\n")}
    esac
${[...groups()]
  .filter(([, seconds]) => seconds.length > 0)
  .map(([first, seconds]) => `    [[ "$first" == ${first} ]] && (( CURRENT == 3 )) && choices=(${seconds.join(" ")})`)
  .join("\n")}
    if (( CURRENT == 3 )) && [[ "$word" != -* ]]; then
      case "$first" in
        ${takesTool.join("|")}) choices=(\${(f)"$(wield __complete "$word" 2>/dev/null)"}) ;;
      esac
    fi
  fi
  if (( \${#choices} )); then compadd -- $choices; else _files; fi
}
(( $+functions[compdef] )) && compdef _wield wield
`

const fish = () => `# Completion of wield for fish: wield completions fish | source
complete -c wield -e
complete -c wield -n __fish_use_subcommand -f -a "${[...groups().keys()].join(" ")}"
${[...groups()]
  .filter(([, seconds]) => seconds.length > 0)
  .map(
    ([first, seconds]) =>
      `complete -c wield -n "__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(" ")}" -f -a "${seconds.join(" ")}"`
  )
  .join("\n")}
${[...leaves.keys()]
  .flatMap((path) => {
    const seen = path
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ")
    return optionsOf(path)
      .filter((option) => option.startsWith("--"))
      .map((option) => `complete -c wield -n "${seen}" -l ${option.slice(2)}`)
  })
  .join("\n")}
complete -c wield -n "__fish_seen_subcommand_from ${takesTool.join(" ")}" -f -a "(wield __complete (commandline -ct) 2>/dev/null)"
`

const scripts: { readonly [Name in Shell]: () => string } = { bash, zsh, fish }
