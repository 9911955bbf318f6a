/**
 * The folder of a file, by its path as it was given.
 */
export const folderOf = (file: string | undefined): string | undefined => {
  if (file === undefined) return undefined
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"))
  return end === -1 ? "." : file.slice(0, Math.max(end, 1))
}
