import type { Random } from "../crash/random.ts"
import type { Operation } from "./recording.ts"
import { type Change, settledFile, type Share, survivingFile } from "./surviving-file.ts"

/** Files by their path below the root; a directory has no bytes. */
export type Tree = ReadonlyMap<string, Buffer | undefined>

/** What a cut leaves of the changes since the last sync: of bytes, and of names in directories. */
export interface Cut {
  readonly bytes: Share
  readonly names: Share
  readonly random: Random
}

/**
 * A disk as a power cut sees it. Every operation is applied to it; what a cut at that moment may leave is drawn: all
 * that was synced, and of the rest a part, in any order, torn at sectors.
 */
export interface DiskModel {
  readonly apply: (operation: Operation) => void
  readonly survivors: (cut: Cut) => Tree
  /** The paths alone. */
  readonly names: (cut: Cut) => ReadonlyArray<string>
}

export interface DiskOptions {
  readonly initial?: Tree
  /**
   * Directories whose names come through in the order of their changes, as a journal keeps them. LevelDB relies on
   * that: it removes the old manifest after CURRENT names the new one, with no sync between them.
   */
  readonly isOrdered?: (directory: string) => boolean
}

interface FileNode {
  readonly _tag: "File"
  durable: Buffer
  changes: Array<Change>
}

interface DirectoryNode {
  readonly _tag: "Directory"
  readonly path: string
  readonly durable: Map<string, DiskNode>
  readonly present: Map<string, DiskNode>
}

type DiskNode = FileNode | DirectoryNode

/** One change of names: what becomes of each; none: the name is gone. */
type Effects = ReadonlyArray<
  { readonly directory: DirectoryNode; readonly name: string; readonly node: DiskNode | undefined }
>

const emptyFile = (bytes: Buffer = Buffer.alloc(0)): FileNode => ({ _tag: "File", durable: bytes, changes: [] })
const emptyDirectory = (path: string): DirectoryNode => ({
  _tag: "Directory",
  path,
  durable: new Map(),
  present: new Map()
})

const setName = (entries: Map<string, DiskNode>, name: string, node: DiskNode | undefined): void => {
  if (node === undefined) entries.delete(name)
  else entries.set(name, node)
}

export const diskModel = ({ initial = new Map(), isOrdered = () => false }: DiskOptions = {}): DiskModel => {
  const root = emptyDirectory("")
  const byInode = new Map<bigint, DiskNode>()
  /** Changes of names that no sync has made last. */
  let pending: Array<Effects> = []

  const placeOf = (path: string): { readonly directory: DirectoryNode; readonly name: string } => {
    const names = path.split("/").slice(1)
    let directory = root
    for (const name of names.slice(0, -1)) {
      const next = directory.present.get(name)
      if (next?._tag !== "Directory") throw new Error(`the disk for tests does not know the directory of ${path}`)
      directory = next
    }
    return { directory, name: names.at(-1)! }
  }

  const nodeAt = (path: string): DiskNode => {
    if (path === "") return root
    const { directory, name } = placeOf(path)
    const node = directory.present.get(name)
    if (node === undefined) throw new Error(`the disk for tests does not know ${path}`)
    return node
  }

  const change = (effects: Effects): void => {
    for (const { directory, name, node } of effects) setName(directory.present, name, node)
    pending.push(effects)
  }

  const setAt = (path: string, node: DiskNode | undefined): void => change([{ ...placeOf(path), node }])

  const fileOf = (inode: bigint): FileNode => {
    const node = byInode.get(inode)
    if (node?._tag !== "File") throw new Error("the disk for tests does not know a file that is written to")
    return node
  }

  const sync = (node: DiskNode | undefined): void => {
    if (node === undefined) return
    if (node._tag === "File") {
      node.durable = settledFile(node.durable, node.changes)
      node.changes = []
      return
    }
    const touches = (effects: Effects): boolean => effects.some(({ directory }) => directory === node)
    for (const effects of pending.filter(touches)) {
      for (const { directory, name, node: after } of effects) setName(directory.durable, name, after)
    }
    pending = pending.filter((effects) => !touches(effects))
  }

  for (const [path, bytes] of initial) {
    const { directory, name } = placeOf(path)
    const node = bytes === undefined ? emptyDirectory(path) : emptyFile(bytes)
    directory.present.set(name, node)
    directory.durable.set(name, node)
  }

  const apply = (operation: Operation): void => {
    switch (operation._tag) {
      case "Open": {
        const { inode, isCreated, isEmptied, path } = operation
        if (isCreated) setAt(path, emptyFile())
        const node = nodeAt(path)
        byInode.set(inode, node)
        if (isEmptied && node._tag === "File") node.changes.push({ _tag: "Truncate", size: 0 })
        return
      }
      case "Write":
      case "Truncate":
        fileOf(operation.inode).changes.push(operation)
        return
      case "Sync":
        return sync(byInode.get(operation.inode))
      case "Rename":
        return change([
          { ...placeOf(operation.from), node: undefined },
          { ...placeOf(operation.to), node: nodeAt(operation.from) }
        ])
      case "MakeDirectory":
        return setAt(operation.path, emptyDirectory(operation.path))
      case "Unlink":
      case "RemoveDirectory":
        return setAt(operation.path, undefined)
    }
  }

  const survivingNames = ({ names, random }: Cut): Map<DirectoryNode, Map<string, DiskNode>> => {
    const after = new Map<DirectoryNode, Map<string, DiskNode>>()
    const entriesOf = (directory: DirectoryNode): Map<string, DiskNode> => {
      const known = after.get(directory) ?? new Map(directory.durable)
      after.set(directory, known)
      return known
    }
    /** Of ordered directories: how many changes come through. */
    const left = new Map<DirectoryNode, number>()
    const comesThrough = (effects: Effects): boolean => {
      if (names !== "some") return names === "everything"
      const ordered = effects.find(({ directory }) => isOrdered(directory.path))?.directory
      if (ordered === undefined) return random.below(2) === 0
      const count = left.get(ordered) ?? random.below(pending.length + 1)
      left.set(ordered, count - 1)
      return count > 0
    }
    for (const effects of pending.filter(comesThrough)) {
      for (const { directory, name, node } of effects) setName(entriesOf(directory), name, node)
    }
    return after
  }

  const survivingNodes = (cut: Cut): ReadonlyMap<string, DiskNode> => {
    const names = survivingNames(cut)
    const nodes = new Map<string, DiskNode>()
    const walk = (directory: DirectoryNode, path: string): void => {
      for (const [name, node] of names.get(directory) ?? directory.durable) {
        nodes.set(`${path}/${name}`, node)
        if (node._tag === "Directory") walk(node, `${path}/${name}`)
      }
    }
    walk(root, "")
    return nodes
  }

  const survivors = (cut: Cut): Tree => {
    const tree = new Map<string, Buffer | undefined>()
    for (const [path, node] of survivingNodes(cut)) {
      tree.set(
        path,
        node._tag === "File" ? survivingFile(node.durable, node.changes, cut.bytes, cut.random) : undefined
      )
    }
    return tree
  }

  return { apply, survivors, names: (cut) => [...survivingNodes(cut).keys()] }
}
