import * as fs from "node:fs"
import { join } from "node:path"
import type { Tree } from "./disk-model.ts"

/** Writes a tree into an empty directory. */
export const writeTree = (directory: string, tree: Tree): void => {
  for (const [path, bytes] of tree) {
    if (bytes === undefined) fs.mkdirSync(join(directory, path))
    else fs.writeFileSync(join(directory, path), bytes, { mode: 0o600 })
  }
}

/** What a directory holds, parents first. */
export const readTree = (directory: string): Tree => {
  const tree = new Map<string, Buffer | undefined>()
  const walk = (below: string): void => {
    for (const entry of fs.readdirSync(join(directory, below), { withFileTypes: true })) {
      const path = `${below}/${entry.name}`
      tree.set(path, entry.isDirectory() ? undefined : fs.readFileSync(join(directory, path)))
      if (entry.isDirectory()) walk(path)
    }
  }
  walk("")
  return tree
}

/** LMDB writes its lock through memory, where no call shows it; nothing durable is in it. */
const isSeen = (path: string): boolean => !path.endsWith("/lock.mdb")

/** Where the two are not the same: names of files. */
export const treeDifferences = (left: Tree, right: Tree): ReadonlyArray<string> =>
  [...new Set([...left.keys(), ...right.keys()])].filter((path) => {
    if (left.has(path) !== right.has(path)) return true
    const [a, b] = [left.get(path), right.get(path)]
    return isSeen(path) && (a === undefined || b === undefined ? a !== b : !a.equals(b))
  })
