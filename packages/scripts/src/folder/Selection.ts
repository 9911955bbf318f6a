/**
 * Which files and tools are taken.
 */
export interface Selection {
  /** Names of files with their extensions; absent for all files. */
  readonly visibleTools: ReadonlyArray<string> | undefined
  /** Names of tools and of aliases; none where it is empty. */
  readonly enabledTools: "all" | ReadonlyArray<string>
  /** Names for several tools. Members are names of tools, or of other aliases. */
  readonly mappingTools: { readonly [alias: string]: ReadonlyArray<string> }
  /** What its problems name: the file it was read from. */
  readonly file: string
}
