import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs"

/** What may keep a node from a file or a directory. */
export type Condition = "unreadable" | "unwritable" | "of another user" | "a directory"

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
