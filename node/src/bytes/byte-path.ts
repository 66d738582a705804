import { constants, openSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { bytesOfText, holdsBytes } from "./byte-text.ts"

/** Directories whose names are not UTF-8, and the paths by which this process and its children reach them. */
const reached = new Map<string, string>()

/** Returns a path as Node.js takes it: text, or bytes where it is not UTF-8. */
export const fsPath = (text: string): string | Buffer => holdsBytes(text) ? bytesOfText(text) : text

const isDirectory = (path: string | Buffer): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Opens a directory for as long as the process lives, and returns a path to it that is UTF-8; none: there is no /proc. */
const openedDirectory = (text: string): string | undefined => {
  const known = reached.get(text)
  if (known !== undefined) return known
  const descriptor = openSync(bytesOfText(text), constants.O_RDONLY | constants.O_DIRECTORY)
  // With the number of the process: its children find the directory there as well.
  const path = `/proc/${process.pid}/fd/${descriptor}`
  if (!isDirectory(path)) return undefined
  reached.set(text, path)
  return path
}

/**
 * Returns the same place by a path in UTF-8, for what takes no other, such as the stores. A path stays as it is where
 * the part of it that is not UTF-8 is no directory yet.
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

/** Returns a text for people as it is to be written: with the names that directories have, byte for byte. */
export const shownBytes = (text: string): string | Buffer => {
  let whole = text
  for (const [name, path] of reached) {
    if (whole.includes(path)) whole = whole.replaceAll(new RegExp(`${path}(?![0-9])`, "g"), () => name)
  }
  return fsPath(whole)
}
