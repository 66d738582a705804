/** What a process did to the files below a directory, in order. Paths begin with "/", which is that directory. */
export type Operation =
  | {
    readonly _tag: "Open"
    readonly path: string
    readonly inode: bigint
    readonly isCreated: boolean
    readonly isEmptied: boolean
  }
  /** `isDurable`: the file was opened so that each write is synced by itself. */
  | {
    readonly _tag: "Write"
    readonly inode: bigint
    readonly offset: number
    readonly bytes: Uint8Array
    readonly isDurable: boolean
  }
  | { readonly _tag: "Truncate"; readonly inode: bigint; readonly size: number }
  /** Of a file or of a directory. */
  | { readonly _tag: "Sync"; readonly inode: bigint }
  | { readonly _tag: "Rename"; readonly from: string; readonly to: string }
  | { readonly _tag: "Unlink" | "MakeDirectory" | "RemoveDirectory"; readonly path: string }

/** An operation, and where its record ends in the log. */
export interface Recorded {
  readonly operation: Operation
  readonly end: number
}

/** Of `struct head` in `recorder.c`. */
const HEAD = 40
const Flag = { created: 1, emptied: 2, durable: 4 } as const

interface Fields {
  readonly kind: number
  readonly flags: number
  readonly inode: bigint
  readonly offset: number
  readonly path: string
  readonly other: string
  readonly bytes: Uint8Array
}

const operationOf = ({ bytes, flags, inode, kind, offset, other, path }: Fields): Operation => {
  switch (kind) {
    case 1:
      return {
        _tag: "Open",
        path,
        inode,
        isCreated: (flags & Flag.created) !== 0,
        isEmptied: (flags & Flag.emptied) !== 0
      }
    case 2:
      return { _tag: "Write", inode, offset, bytes, isDurable: (flags & Flag.durable) !== 0 }
    case 3:
      return { _tag: "Truncate", inode, size: offset }
    case 4:
      return { _tag: "Sync", inode }
    case 5:
      return { _tag: "Rename", from: path, to: other }
    case 6:
      return { _tag: "Unlink", path }
    case 7:
      return { _tag: "MakeDirectory", path }
    case 8:
      return { _tag: "RemoveDirectory", path }
    default:
      throw new Error(
        `the recorder saw an operation that the disk for tests does not know: kind ${kind}, ${path} ${other}`
      )
  }
}

/** Reads the log of `recorder.c`. */
export const readRecording = (log: Buffer): ReadonlyArray<Recorded> => {
  const recorded: Array<Recorded> = []
  let at = 0
  const take = (size: number): Buffer => log.subarray(at, at += size)
  while (at + HEAD <= log.length) {
    const head = take(HEAD)
    const path = take(head.readUInt32LE(24)).toString()
    const other = take(head.readUInt32LE(28)).toString()
    const bytes = take(head.readUInt32LE(32))
    // A process that was killed may have been writing.
    if (at > log.length) break
    const operation = operationOf({
      kind: head.readUInt32LE(0),
      flags: head.readUInt32LE(4),
      inode: head.readBigUInt64LE(8),
      offset: Number(head.readBigUInt64LE(16)),
      path,
      other,
      bytes
    })
    recorded.push({ operation, end: at })
  }
  return recorded
}
