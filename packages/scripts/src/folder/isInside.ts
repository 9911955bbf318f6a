/**
 * Whether a real path is that of a folder, or lies in it.
 */
import type * as Path from "@effect/platform/Path"

export const isInside = (path: Path.Path, folder: string, place: string): boolean => {
  const way = path.relative(folder, place)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
