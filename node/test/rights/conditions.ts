import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync
} from "node:fs"
import { join } from "node:path"

/** What may keep a node from a file or a directory. */
export type Condition = "unreadable" | "unwritable" | "of another user" | "a directory"

const AS_ROOT = process.getuid?.() === 0

/** Only root can give a file away. Everybody else meets the same refusal as `unreadable`. */
export const CONDITIONS: ReadonlyArray<Condition> = [
  "unreadable",
  "unwritable",
  ...AS_ROOT ? ["of another user" as const] : [],
  "a directory"
]

/** A user that runs nothing. */
const OTHER_USER = 23_456

const isDirectory = (path: string): boolean => lstatSync(path).isDirectory()

/** Brings a path into a condition; answers what undoes it, where a program may have replaced it since if `mayBeGone`. */
export const bring = (path: string, condition: Condition): (mayBeGone?: boolean) => void => {
  const undo = begin(path, condition)
  return (mayBeGone = false) => {
    if (existsSync(path) || !mayBeGone) undo()
  }
}

const begin = (path: string, condition: Condition): () => void => {
  const { mode } = lstatSync(path)
  switch (condition) {
    case "unreadable":
      chmodSync(path, 0)
      return () => chmodSync(path, mode)
    case "unwritable":
      chmodSync(path, isDirectory(path) ? 0o555 : 0o444)
      return () => chmodSync(path, mode)
    case "of another user":
      chmodSync(path, isDirectory(path) ? 0o700 : 0o600)
      chownSync(path, OTHER_USER, OTHER_USER)
      return () => {
        chownSync(path, process.getuid!(), process.getgid!())
        chmodSync(path, mode)
      }
    case "a directory":
      renameSync(path, `${path}.mine`)
      mkdirSync(path)
      return () => {
        rmSync(path, { recursive: true })
        renameSync(`${path}.mine`, path)
      }
  }
}

const shown = (path: string): string => isDirectory(path) ? "directory" : readFileSync(path).toString("base64")

/** What stands at a path, in whatever condition: tests read it with the rights of who runs them. */
export const contentAt = (path: string): string => {
  const { mode } = lstatSync(path)
  chmodSync(path, isDirectory(path) ? 0o700 : 0o600)
  try {
    return shown(path)
  } finally {
    chmodSync(path, mode)
  }
}

/** Names that show that something was taken for damaged, below a directory. */
export const damagedBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    /damaged|\.old|unused|\.bak/.test(name) && !name.endsWith("/LOG.old")
  )
    .map((name) => join(directory, name))
