/**
 * Characters that change how others look, and show nothing themselves: directions of text, widths of zero, controls.
 * A name that holds them could look like another name.
 */
const hidden = /[\p{Cc}\p{Cf}]/gu

/** Emoji and some scripts join characters by these; within ASCII they hide only. */
const isJoiner = (character: string, before: string | undefined): boolean =>
  (character === "\u200C" || character === "\u200D") && before !== undefined && before > "\u007F"

/** Writes invisible characters as their code points. */
export const showHidden = (text: string): string =>
  text.replace(hidden, (character, at: number) => {
    if (character === "\t" || character === "\n" || isJoiner(character, text[at - 1])) return character
    return character === "\r" ? "" : `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`
  })
