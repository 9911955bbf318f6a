# Serves calls of Bash scripts: the counterpart of src/bash/program.ts, which is
# the only one to write what is read here. README.md has the protocol.
#
# It is evaluated by `bash -c`, not run from its file, so that a script finds in
# $0 and BASH_SOURCE what it finds when it is run by hand.
#
# What is read from descriptor 3 are messages: ten digits, how many bytes follow;
# then so many bytes, ASCII: fields, each ended by \x1e. The first field lists
# the fields that do not stand there, because they are long or hold other than
# printable ASCII, separated by \x1d: "index length", they follow in this order;
# or "index =source cut prefix", made of prefix and of the field `source` without
# its first `cut` bytes. `read -N` takes thousands of bytes at a time from a
# socket, where `read -d` and `mapfile` ask the system for each.
#
# No value is ever evaluated: values reach variables through splitting without
# globbing, `read`, `declare name=value` with the whole as one word, and
# assignments through name references.

# Read on by Bash 3.2 up to here, so nothing newer may stand above.
if [[ ${BASH_VERSINFO[0]} -lt 4 || (${BASH_VERSINFO[0]} -eq 4 && ${BASH_VERSINFO[1]} -lt 4) ]]; then
  printf '{"type":"failed","file":"","error":"BashTooOld","detail":"%s"}\n' \
    "this is Bash ${BASH_VERSION%%[!0-9.]*}, and scripts need 4.4 or later: install a newer Bash (macOS comes with 3.2) and name it in the option interpreters.bash or in the first line of the script" >&4
  exit 1
fi

# Takes the options that are set for the script's, and unsets them for what stands here.
__wield_take_options() {
  local option IFS=:
  __wield_options=()
  for option in $SHELLOPTS; do
    case $option in
      braceexpand | hashall | interactive-comments) ;;
      *)
        __wield_options+=(-o "$option")
        set +o "$option"
        ;;
    esac
  done
}

# Those of the script's first line: `#!/bin/bash -e`
__wield_take_options
unset __wield_text
set --

# Reads a message into __wield_f; fails at the end of descriptor 3.
__wield_receive() {
  local length message hole index source rest cut
  IFS= read -r -N 10 -u 3 length || return
  IFS= read -r -N "$((10#$length))" -u 3 message || return
  set -f
  local IFS=$'\x1e'
  __wield_f=($message)
  IFS=$'\x1d'
  local holes=(${__wield_f[0]})
  set +f
  if [[ ${#holes[@]} == 0 ]]; then return 0; fi
  local LC_ALL=C # in which a character is a byte
  for hole in "${holes[@]}"; do
    index=${hole%% *}
    rest=${hole#* }
    if [[ $rest == =* ]]; then
      source=${rest%% *}
      source=${source#=}
      rest=${rest#* }
      cut=${rest%% *}
      __wield_f[index]=${rest#* }${__wield_f[source]:cut}
    else
      IFS= read -r -N "$rest" -u 3 "__wield_f[$index]" || return
    fi
  done
}

# Assigns what the comment tags declare. It is done before the script runs, for
# what it does outside of functions (first), and where argc would do it (last),
# when the script's functions are there to be asked.
__wield_bind() {
  local -i __wield_at=9 __wield_many __wield_shift=0
  local __wield_name __wield_value
  if ((__wield_f[5])); then
    if [[ $1 == first ]]; then export -- "${__wield_f[@]:__wield_at:__wield_f[5]}"; fi
    __wield_at+=__wield_f[5]
  fi
  if ((__wield_f[6])); then
    declare -g -- "${__wield_f[@]:__wield_at:__wield_f[6]}"
    __wield_at+=__wield_f[6]
  fi
  argc__args=("${__wield_f[@]:__wield_at:__wield_f[7]}")
  __wield_at+=__wield_f[7]
  argc__positionals=("${__wield_f[@]:__wield_at:__wield_f[8]}")
  __wield_at+=__wield_f[8]
  while [[ ${__wield_f[__wield_at]} != end ]]; do
    __wield_name=${__wield_f[__wield_at + 1]}
    case ${__wield_f[__wield_at]} in
      list) # name, how many, values
        __wield_many=__wield_f[__wield_at+2]
        local -n __wield_list=argc_$__wield_name
        __wield_list=("${__wield_f[@]:__wield_at + 3:__wield_many}")
        unset -n __wield_list
        __wield_at+=3+__wield_many
        ;;
      map) # name, how many, keys and values
        __wield_many=__wield_f[__wield_at+2]
        declare -gA "argc_$__wield_name"
        local -n __wield_map=argc_$__wield_name
        for ((__wield_at += 3; __wield_many > 0; __wield_many--, __wield_at += 2)); do
          __wield_value=${__wield_f[__wield_at]}
          __wield_map[$__wield_value]=${__wield_f[__wield_at + 1]}
        done
        unset -n __wield_map
        ;;
      bound) # name, kind, variable, what separates values, its place among the positional ones, how it is shown where it is required, how many defaults, defaults, how many choices, choices
        __wield_many=8+__wield_f[__wield_at+7]
        __wield_many+=1+__wield_f[__wield_at+__wield_many]
        __wield_stand_in "${__wield_f[@]:__wield_at + 1:__wield_many - 1}"
        __wield_at+=__wield_many
        ;;
      default) # name, function, its place among the positional ones
        __wield_value=argc_$__wield_name
        if [[ $1 == last && -z ${!__wield_value+x} ]]; then
          __wield_value=$("${__wield_f[__wield_at + 2]}")
          declare -g -- "argc_$__wield_name=$__wield_value"
          if [[ ${__wield_f[__wield_at + 3]} ]]; then
            __wield_fill "${__wield_f[__wield_at + 3]}" single "$__wield_value"
          fi
        fi
        __wield_at+=4
        ;;
      choices) # name, function, how the parameter is shown
        if [[ $1 == last ]]; then
          local -n __wield_chosen=argc_$__wield_name
          __wield_choose "${__wield_f[__wield_at + 2]}" "\`${__wield_f[__wield_at + 3]}\`" \
            ${__wield_chosen[@]+"${__wield_chosen[@]}"}
          unset -n __wield_chosen
        fi
        __wield_at+=4
        ;;
      variable) # name, required, has a default, default, how many choices, choices
        __wield_many=__wield_f[__wield_at+5]
        if [[ $1 == first ]]; then
          if [[ ${!__wield_name+x} ]]; then
            if ((__wield_many)); then
              __wield_allow "environment variable \`$__wield_name\`" "${!__wield_name}" \
                "${__wield_f[@]:__wield_at + 6:__wield_many}"
            fi
          elif [[ ${__wield_f[__wield_at + 3]} ]]; then
            export -- "$__wield_name=${__wield_f[__wield_at + 4]}"
          elif [[ ${__wield_f[__wield_at + 2]} ]]; then
            __wield_refuse 'error: the following required environments were not provided:\n  %s\n' "$__wield_name"
          fi
        fi
        __wield_at+=6+__wield_many
        ;;
      variable-default) # name, function
        if [[ $1 == last && -z ${!__wield_name+x} ]]; then
          __wield_value=$("${__wield_f[__wield_at + 2]}")
          export -- "$__wield_name=$__wield_value"
        fi
        __wield_at+=3
        ;;
      variable-choices) # name, function
        if [[ $1 == last && ${!__wield_name+x} ]]; then
          __wield_choose "${__wield_f[__wield_at + 2]}" "environment variable \`$__wield_name\`" "${!__wield_name}"
        fi
        __wield_at+=3
        ;;
    esac
  done
}

# What an absent parameter is by an environment variable or by default.
__wield_stand_in() {
  local -n __wield_target=argc_$1
  local __wield_kind=$2 __wield_variable=$3 __wield_delimiter=$4 __wield_place=$5 __wield_shown=$6 __wield_text
  local -a __wield_defaults=("${@:8:$7}") __wield_choices=("${@:9 + $7}")
  if [[ ${!__wield_variable+x} ]]; then
    __wield_text=${!__wield_variable}
    set -- "$__wield_text"
    if [[ $__wield_kind == flag || ($__wield_kind == counter && ! $__wield_text =~ ^[1-9][0-9]*$) ]]; then
      case $__wield_text in
        1 | true) set -- 1 ;;
        0 | false | '') return 0 ;;
        *) __wield_refuse 'error: environment variable `%s` is `%s`; expected true or false\n' "$__wield_variable" "$__wield_text" ;;
      esac
    elif [[ $__wield_kind == list && $__wield_delimiter ]]; then
      set --
      while [[ $__wield_text == *"$__wield_delimiter"* ]]; do
        set -- "$@" "${__wield_text%%"$__wield_delimiter"*}"
        __wield_text=${__wield_text#*"$__wield_delimiter"}
      done
      set -- "$@" "$__wield_text"
    fi
    if ((${#__wield_choices[@]})); then
      for __wield_text; do
        __wield_allow "environment variable \`$__wield_variable\`" "$__wield_text" "${__wield_choices[@]}"
      done
    fi
  else
    set -- "${__wield_defaults[@]}"
    if (($# == 0)); then
      if [[ -z $__wield_shown ]]; then return 0; fi
      __wield_refuse 'error: the following required arguments were not provided:\n  %s\n' "$__wield_shown"
    fi
  fi
  if [[ $__wield_kind == list ]]; then __wield_target=("$@"); else __wield_target=$1; fi
  if [[ $__wield_place ]]; then __wield_fill "$__wield_place" "$__wield_kind" "$@"; fi
}

# Puts values among the positional ones: place, kind, values. But for a list, an
# empty one keeps the place where others follow.
__wield_fill() {
  local -i __wield_index=$1+__wield_shift __wield_held=1
  if [[ $2 == list ]]; then __wield_held=0; fi
  shift 2
  while ((${#argc__positionals[@]} < __wield_index)); do argc__positionals+=(""); done
  argc__positionals=(
    "${argc__positionals[@]:0:__wield_index}" "$@" "${argc__positionals[@]:__wield_index + __wield_held}"
  )
  __wield_shift+=$#-__wield_held
}

# Ends the script where a value is not among those that one of its functions
# prints: a line each, without what follows a tab.
__wield_choose() {
  local __wield_function=$1 __wield_shown=$2 __wield_text __wield_line __wield_failed=
  local -a __wield_lines=() __wield_choices=()
  shift 2
  if (($# == 0)); then return 0; fi
  __wield_text=$(ARGC_COMPGEN=0 "$__wield_function") || __wield_failed=" and exited with code $?"
  mapfile -t __wield_lines <<<"$__wield_text"
  for __wield_line in "${__wield_lines[@]}"; do
    if [[ $__wield_line ]]; then __wield_choices+=("${__wield_line%%$'\t'*}"); fi
  done
  if ((${#__wield_choices[@]} == 0)); then
    __wield_refuse 'error: no value is possible for %s: %s, which prints the possible values, printed none%s\n' \
      "$__wield_shown" "$__wield_function" "$__wield_failed"
  fi
  for __wield_line; do __wield_allow "$__wield_shown" "$__wield_line" "${__wield_choices[@]}"; done
}

__wield_allow() {
  local __wield_shown=$1 __wield_asked=$2 __wield_choice __wield_all
  shift 2
  for __wield_choice; do
    if [[ $__wield_choice == "$__wield_asked" ]]; then return 0; fi
  done
  printf -v __wield_all ', %s' "$@"
  __wield_refuse 'error: invalid value `%s` for %s\n  [possible values: %s]\n' \
    "$__wield_asked" "$__wield_shown" "${__wield_all:2}"
}

# Ends the script, whose own end may look like success: in a pipeline, or by a trap.
__wield_refuse() {
  printf "$@" >&2
  if [[ ! $__wield_ahead ]]; then printf "!\n" >&251; fi
  exit 1
}

# What argc's line comes to. It is evaluated where that line stands, so that the
# function is called from there and `set -e` sees what it sees otherwise.
# __wield_flags tells what the source shows already: asking Bash takes longer.
# r: values have to be assigned again; a: the script is asked for some; h: there
# may be hooks; w: it may start its function by itself; s: that has been started.
__wield_code='
if [[ $__wield_flags == *r* ]]; then __wield_bind last; fi
if [[ $__wield_flags == *h* ]] && declare -F _argc_before >/dev/null; then _argc_before; fi
if declare -F "$__wield_entry" >/dev/null; then
  eval "$__wield_start"
  argc__fn=$__wield_entry
  if [[ $__wield_flags == *h* ]] && declare -F _argc_after >/dev/null; then
    "$__wield_entry" "${argc__positionals[@]}"
    _argc_after
  else
    "$__wield_entry" "${argc__positionals[@]}"
  fi
elif [[ ! $__wield_ahead && $__wield_flags != *w* ]]; then
  exec 251>&-
fi'

# Whether a script starts its function is not to be read off its text, so it is
# watched: until the function has been started, DEBUG traps see each command. What
# a subshell sees, it tells in a pipe: who has started the function.
# What it gives another process to start, nothing sees: it tells that as "?".
__wield_watch='
if [[ ${FUNCNAME-} == "$__wield_entry" ]]; then
  eval "$__wield_start"
elif [[ $BASH_COMMAND == *@(declare|typeset|export)\ -*f*"$__wield_entry"* ||
  $BASH_COMMAND == *@(declare|typeset)\ -*([a-z])f*([a-z])*( )?([\>\|\;\)]*) ]]; then
  printf "?\n" >&251
elif [[ $BASH_COMMAND == trap\ *"$__wield_entry"*RETURN* ]]; then
  __wield_refuse "it cannot be seen how often a trap on RETURN runs %s: end the script with %s\n" \
    "$__wield_entry" "eval \"\$(argc --argc-eval \"\$0\" \"\$@\")\""
fi'
__wield_start='
__wield_flags+=s
if [[ ! $__wield_ahead ]]; then
  if [[ $__wield_flags == *w* ]]; then trap - DEBUG; set +T; fi
  if [[ $__wield_flags == *w* || $BASHPID != "$__wield_self" ]]; then printf "%s\n" "$BASHPID" >&251; fi
  exec 251>&-
fi'

# Whether a process runs, of these: $1, or if there is a second argument, others than this
# one in the group $1 that run this shell and not a program: they may start the function yet.
__wield_runs() {
  local - file state job
  set +efu
  # A group without processes is told without reading about all there are.
  if (($# == 2)) && [[ $1 != "$BASHPID" ]] && ! kill -0 -- "-$1" 2>/dev/null; then return 1; fi
  if [[ ! -e /proc/$BASHPID/stat ]]; then
    if (($# == 1)); then kill -0 "$1" 2>/dev/null; return; fi
    for job in $(jobs -rp); do return 0; done
    return 1
  fi
  for file in /proc/[0-9]*/stat; do
    if (($# == 1)); then file=/proc/$1/stat; elif [[ $file == "/proc/$BASHPID/stat" ]]; then continue; fi
    if { IFS= read -r state <"$file"; } 2>/dev/null; then
      # After the name come the state, the parent and the group.
      state=${state##*) }
      if [[ $state != [ZX]* && ($# == 1 || (${state#* * } == "$1 "* && ${file%/stat}/exe -ef /proc/$BASHPID/exe)) ]]; then
        return 0
      fi
    fi
    if (($# == 1)); then return 1; fi
  done
  return 1
}

# Starts the function of a script that has not done so by its end.
__wield_finish='
if [[ $__wield_flags == *w* && $__wield_flags != *s* ]]; then
  if [[ $(trap -p DEBUG) != *__wield_entry* ]]; then
    __wield_unseen="with a DEBUG trap of its own"
  elif [[ $(declare -F)$'\''\n'\'' == *"declare -fx"*([a-z])" $__wield_entry"$'\''\n'\''* ]]; then
    __wield_unseen="that exports it"
  fi
  # The trap would run for each command of what follows.
  set +T
  # A note that is there already needs no look at processes; one may come until they have ended.
  __wield_noted=
  while read -t 0 -u 251 || __wield_runs "$__wield_self" group || read -t 0 -u 251; do
    # Where its time is over in the midst of a note, what was read of it is kept.
    if IFS= read -r -t 0.05 -u 251 __wield_note; then
      __wield_noted+=$__wield_note
      if [[ $__wield_noted != "?" ]]; then
        printf "%s\n" "$__wield_noted" >&251
        exit "$__wield_status"
      fi
      __wield_unseen="that prints or exports it"
      __wield_noted=
    else
      __wield_noted+=$__wield_note
    fi
  done
fi
if [[ $__wield_flags == *s* ]] || ! declare -F "$__wield_entry" >/dev/null; then exit "$__wield_status"; fi
if [[ ${__wield_unseen-} ]]; then
  printf "%s: it cannot be seen whether %s was run by a script %s: end the script with %s\n" \
    "$__wield_file" "$__wield_entry" "$__wield_unseen" "eval \"\$(argc --argc-eval \"\$0\" \"\$@\")\"" >&2
  exit 1
fi
# Where its trap at the end starts the function, it has been started by then.
eval "__wield_trap=($(trap -p EXIT))"
if [[ ${__wield_trap-} ]]; then trap "__wield_spend && :"$'\''\n'\''"${__wield_trap[2]}" EXIT; fi
eval "$__wield_code"'

# Keeps the exit code, and does not end a script that has set -e: `&& :` follows.
__wield_spend() {
  local __wield_status=$?
  eval "$__wield_entry() { :; }"
  return "$__wield_status"
}

argc() {
  case ${1-} in
    --argc-eval | -e | "$0") if [[ -z ${__wield_reading-} ]]; then printf '%s\n' "$__wield_code"; fi ;;
    *) command argc "$@" ;;
  esac
}

# A pipe with both ends on one descriptor, whose number the variable $1 gets.
# Linux opens a pipe anew for both directions; elsewhere, named pipes have both.
__wield_pipe() {
  local made
  if ! { eval "exec {$1}<> <(:)"; } 2>/dev/null || ! { printf '\n' >&"${!1}"; } 2>/dev/null; then
    made=$(mktemp -d) && mkfifo -m 600 "$made/pipe" || exit 1
    eval "exec {$1}<>\"\$made/pipe\""
    rm -rf -- "$made"
    printf '\n' >&"${!1}"
  fi
  IFS= read -r -u "${!1}" made
}

# Children tell in it which call they serve, and Bash how they ended.
__wield_pipe __wield_notes
exec {__wield_error}>&2 2>&"$__wield_notes"

# Runs the text of a script: the file, for BASH_SOURCE to name it, where it is what was introspected.
__wield_source='
__wield_found=
IFS= read -r -d "" __wield_found 2>/dev/null <"$__wield_file"
SECONDS=0
if [[ $__wield_found == "${__wield_texts[$__wield_file]-}" ]]; then
  unset __wield_found __wield_texts
  set "${__wield_options[@]}" --
  if [[ ${__wield_flags-} == *w* ]]; then trap "$__wield_watch" DEBUG; set -T; fi
  . "$__wield_file" "${argc__args[@]:1}"
else
  __wield_path=("$__wield_file")
  __wield_found=${__wield_texts[$__wield_file]//BASH_SOURCE/__wield_path}
  unset __wield_texts
  set "${__wield_options[@]}" --
  if [[ ${__wield_flags-} == *w* ]]; then trap "$__wield_watch" DEBUG; set -T; fi
  . <(printf %s "$__wield_found") "${argc__args[@]:1}"
fi'

# mode, whether the script can be read ahead, then files and texts by turns
__wield_receive || exit 0
__wield_mode=${__wield_f[1]}
__wield_ahead=${__wield_f[2]}
declare -A __wield_texts=()
for ((__wield_at = 3; __wield_at + 1 < ${#__wield_f[@]}; __wield_at += 2)); do
  __wield_texts[${__wield_f[__wield_at]}]=${__wield_f[__wield_at + 1]}
done
__wield_file=${__wield_f[3]-}
unset BASH_EXECUTION_STRING __wield_at __wield_f __wield_value

# A script that only defines functions is read once, and has them in each child.
if [[ $__wield_ahead ]]; then
  __wield_reading=1
  argc__args=(.)
  eval "$__wield_source"
  __wield_take_options
  unset __wield_reading argc__args
else
  # No script has opened another file by this number, as it may have by the next one that is free.
  __wield_pipe __wield_value
  exec 251<&"$__wield_value" {__wield_value}<&-
  unset __wield_value
fi

# What a child does. A text, since Bash repeats it in what it says of the child.
IFS= read -r -d '' __wield_serve <<'END'
set +m
trap - TERM INT HUP QUIT USR1 USR2 ALRM
exec 2>&"$__wield_error"
__wield_receive || exit 0
printf ':%.1s%03d%s' "${__wield_f[4]//[!w]/}-" "${#__wield_f[1]}" "${__wield_f[1]}" >&"$__wield_notes"
exec 3<&- 4>&- {__wield_notes}>&- {__wield_error}>&-
__wield_file=${__wield_f[2]}
__wield_entry=${__wield_f[3]}
__wield_flags=${__wield_f[4]}
__wield_self=$BASHPID
if [[ $0 != "$__wield_file" ]]; then BASH_ARGV0=$__wield_file; fi
__wield_bind first
unset __wield_serve __wield_mode __wield_child __wield_signalled
if [[ $__wield_ahead ]]; then
  SECONDS=0
  set "${__wield_options[@]}" --
  eval "$__wield_code"
else
  while read -t 0 -u 251; do IFS= read -r -N 1 -u 251 __wield_status; done
  if [[ $__wield_flags != *[aw]* ]]; then exec 251<&-; fi
  eval "$__wield_source"
  __wield_status=$?
  eval "$__wield_finish"
fi
END

# Each child leads a process group of its own.
set -m

# `$$` is this process in its children, too: who signals it by that means the script.
for __wield_signal in TERM INT HUP QUIT USR1 USR2 ALRM; do
  trap "__wield_signalled=1; kill -$__wield_signal \"\$__wield_child\" 2>/dev/null" "$__wield_signal"
done
unset __wield_signal

while :; do
  eval "$__wield_serve" &
  __wield_child=$!
  printf '{"type":"ready","pid":%d}\n' "$__wield_child" >&4
  while :; do
    __wield_signalled=
    wait "$__wield_child"
    __wield_status=$?
    if [[ -z $__wield_signalled ]]; then break; fi
  done
  # Without a note of its own, the child ended before it had a call: so did descriptor 3, or somebody has ended it.
  __wield_note=
  if read -t 0 -u "$__wield_notes"; then IFS= read -r -N 1 -u "$__wield_notes" __wield_note; fi
  if [[ $__wield_note != : ]]; then exit "$__wield_status"; fi
  IFS= read -r -N 1 -u "$__wield_notes" __wield_watched
  IFS= read -r -N 3 -u "$__wield_notes" __wield_note
  IFS= read -r -N "$((10#$__wield_note))" -u "$__wield_notes" __wield_marker
  if [[ ! $__wield_ahead ]]; then
    # The script may have ended while a job of it runs the function, or comes to it yet.
    __wield_starter=
    while :; do
      while read -t 0 -u 251; do
        IFS= read -r -u 251 __wield_note
        if [[ $__wield_note != [!?] ]]; then
          __wield_starter=$__wield_note
        elif [[ $__wield_note == "?" ]]; then
          continue
        elif [[ $__wield_status == 0 ]]; then
          __wield_status=1
        fi
      done
      if [[ $__wield_starter ]]; then
        if ! __wield_runs "$__wield_starter"; then break; fi
      elif [[ $__wield_watched != w ]] || ! __wield_runs "$__wield_child" group; then
        break
      fi
      read -r -t 0.01 -u 4
    done
  fi
  if ((__wield_status == 0)); then
    __wield_answer='{"type":"none"'
  else
    __wield_answer='{"type":"exited","code":'$__wield_status',"signal":null'
    # `exit 143` and SIGTERM look alike, but of `exit 143` Bash says "[1]+  Exit 143".
    __wield_note='['$__wield_status
    if ((__wield_status > 128)) && read -t 0 -u "$__wield_notes"; then
      IFS= read -r -u "$__wield_notes" __wield_note
    fi
    if [[ $__wield_note != '['*"$__wield_status"* ]]; then
      __wield_answer='{"type":"exited","code":null,"signal":"SIG'$(kill -l "$__wield_status")'"'
    fi
  fi
  if kill -KILL -- "-$__wield_child"; then
    # It may be writing still.
    for __wield_note in {1..20}; do
      if ! kill -0 -- "-$__wield_child"; then break; fi
      read -r -t 0.001 -u 4
    done
  fi
  printf '\n%s\n' "$__wield_marker"
  printf '\n%s\n' "$__wield_marker" >&"$__wield_error"
  printf '%s,"isMarked":true}\n' "$__wield_answer" >&4
  if [[ $__wield_mode == once ]]; then exit 0; fi
  while read -t 0 -u "$__wield_notes"; do IFS= read -r -u "$__wield_notes" __wield_note; done
done
