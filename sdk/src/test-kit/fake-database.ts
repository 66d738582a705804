import type { RequestPayload, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"

interface Entry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** The in-memory database of the module under test; it answers like the node's. */
export interface FakeDatabase {
  /** Handles a request about storage. Returns `undefined` for any other request. */
  readonly answer: (request: RequestPayload) => ResponsePayload | undefined
  /** Returns the entries in the order of their keys. */
  readonly entries: () => ReadonlyArray<Entry>
}

const isBefore = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) < 0

const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex")

/** A database without entries. */
export const fakeDatabase = (): FakeDatabase => {
  const found = new Map<string, Entry>()
  const entries = (): ReadonlyArray<Entry> => [...found.values()].toSorted((a, b) => Buffer.compare(a.key, b.key))
  return {
    entries,
    answer: (request) => {
      switch (request._tag) {
        case "ReadStorage":
          return { _tag: "StorageValues", value: request.keys.map((key) => found.get(hex(key))?.value) }
        case "ListStorage": {
          const { from, limit, reverse, to } = request
          const inside = entries().filter(({ key }) => !isBefore(key, from) && (to === undefined || isBefore(key, to)))
          return { _tag: "StorageEntries", value: (reverse ? inside.toReversed() : inside).slice(0, limit) }
        }
        case "WriteStorage":
          for (const { key, value } of request.puts) {
            found.set(hex(key), { key: Uint8Array.from(key), value: Uint8Array.from(value) })
          }
          for (const key of request.removals) found.delete(hex(key))
          return { _tag: "StorageWritten" }
        case "ClearStorage":
          found.clear()
          return { _tag: "StorageWritten" }
        default:
          return undefined
      }
    }
  }
}
