import { constants, openSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { bytesOfText, holdsBytes } from "./byte-text.ts"

/** Directories whose names are not UTF-8, and the paths by which this process and its children reach them. */
const reached = new Map<string, string>()

/** Returns a path in the form that Node.js accepts: text, or bytes if it is not UTF-8. */
export const fsPath = (text: string): string | Buffer => holdsBytes(text) ? bytesOfText(text) : text

const isDirectory = (path: string | Buffer): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Opens a directory for the life of the process. Returns a UTF-8 path to it, or `undefined` without /proc. */
const openedDirectory = (text: string): string | undefined => {
  const known = reached.get(text)
  if (known !== undefined) return known
  const descriptor = openSync(bytesOfText(text), constants.O_RDONLY | constants.O_DIRECTORY)
  // With the number of the process, so that its children reach the directory as well.
  const path = `/proc/${process.pid}/fd/${descriptor}`
  if (!isDirectory(path)) return undefined
  reached.set(text, path)
  return path
}

/**
 * Returns a UTF-8 path to the same file, for code that accepts no other, such as the stores. The path is unchanged if
 * its part that is not UTF-8 is no directory yet.
 */
export const utf8Path = (text: string): string => {
  if (!holdsBytes(text)) return text
  for (let [directory, rest] = [text, ""]; directory !== dirname(directory); directory = dirname(directory)) {
    if (isDirectory(bytesOfText(directory))) {
      const path = openedDirectory(directory)
      return path === undefined ? text : join(path, rest)
    }
    rest = join(directory.slice(dirname(directory).length), rest)
    if (holdsBytes(rest)) return text
  }
  return text
}

/** Returns a text for output, with the names of directories byte for byte. */
export const shownBytes = (text: string): string | Buffer => {
  let whole = text
  for (const [name, path] of reached) {
    if (whole.includes(path)) whole = whole.replaceAll(new RegExp(`${path}(?![0-9])`, "g"), () => name)
  }
  return fsPath(whole)
}
