#!/usr/bin/env bash
# @describe Finds the lines of a text that hold a word.
# @option --text!           The text
# @option --word!           The word, as it is written
# @option --limit=5 <INT>   How many lines are given at most
# @flag --numbers           Whether each line has its number before it
# @meta require-tools grep,head

main() {
  local options=(--fixed-strings)
  [[ -n "${argc_numbers:-}" ]] && options+=(--line-number)
  printf '%s' "$argc_text" | grep "${options[@]}" -- "$argc_word" | head -n "$argc_limit" >>"$LLM_OUTPUT"
}
