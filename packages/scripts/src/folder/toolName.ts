/**
 * The name of the tool that a file is, as Loki makes it of the file's stem:
 * what is neither letter nor digit becomes one underscore, the ends have none,
 * and all letters are small.
 */
export const toolNameOf = (stem: string): string =>
  stem
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "")
    .toLowerCase()
