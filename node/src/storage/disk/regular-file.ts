import * as fs from "node:fs"
import type { StorageError } from "../storage-error.ts"
import { closeFile } from "./close-file.ts"
import { diskError } from "./disk-error.ts"

type Part = StorageError["part"]

/** The code of what stands where a file should be, among those of the system. */
const codeOf = (stats: fs.Stats): string | undefined => {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return "EISDIR"
  return stats.isFIFO() ? "IS_FIFO" : stats.isSocket() ? "ENXIO" : "IS_DEVICE"
}

const refuse = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

/**
 * Opens what is a file, and nothing else: to open a FIFO waits for who writes into it, perhaps for ever, and offsets mean
 * nothing in it. A directory passes where `mayBe` says so, as the system does: only reading it fails.
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

/** The content of a file, if there is one; throws where that cannot be told, or where something else stands there. */
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

/** Whether something is there; throws where that cannot be told, which is not the same as that there is nothing. */
export const isThere = (path: string): boolean => {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false
    throw error
  }
}

/** Throws, with its path, where something else than a file stands. */
export const demandRegular = (part: Part, path: string): void => {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  const code = stats === undefined ? undefined : codeOf(stats)
  if (code !== undefined) throw diskError(part, "read", path, Object.assign(new Error(code), { code }))
}
