import * as fs from "node:fs"
import type { StorageError } from "../storage-error.ts"
import { closeFile } from "./close-file.ts"
import { diskError } from "./disk-error.ts"

type Part = StorageError["part"]

/** Returns the system's error code for a path that is not a file. */
const codeOf = (stats: fs.Stats): string | undefined => {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return "EISDIR"
  return stats.isFIFO() ? "IS_FIFO" : stats.isSocket() ? "ENXIO" : "IS_DEVICE"
}

const refuse = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

/**
 * Opens a regular file only. Opening a FIFO would wait for its writer, perhaps for ever, and offsets have no meaning in
 * it. A directory is accepted if `mayBe` says so; then, as usual, only reading it fails.
 */
export const openRegular = (
  path: string | Buffer,
  flags: number,
  { mayBe = "file", mode = 0o666 }: { readonly mayBe?: "file" | "or a directory"; readonly mode?: number } = {}
): number => {
  const descriptor = fs.openSync(path, flags | fs.constants.O_NONBLOCK, mode)
  try {
    const code = codeOf(fs.fstatSync(descriptor))
    if (code !== undefined && !(code === "EISDIR" && mayBe === "or a directory")) refuse(code)
    return descriptor
  } catch (error) {
    closeFile(descriptor)
    throw error
  }
}

/** Returns the content of a file, or `undefined` if it is missing. Throws if that is unknown or if the path is no file. */
export const readRegular = (path: string | Buffer): Buffer | undefined => {
  let descriptor: number
  try {
    descriptor = openRegular(path, fs.constants.O_RDONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
  try {
    return fs.readFileSync(descriptor)
  } finally {
    closeFile(descriptor)
  }
}

/** Reports whether a path exists. Throws if that is unknown, which differs from missing. */
export const isThere = (path: string): boolean => {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false
    throw error
  }
}

/** Throws, with its path, if it is something else than a file. */
export const demandRegular = (part: Part, path: string): void => {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  const code = stats === undefined ? undefined : codeOf(stats)
  if (code !== undefined) throw diskError(part, "read", path, Object.assign(new Error(code), { code }))
}
