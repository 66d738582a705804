import type { Crypto } from "@lockstep/kernel/crypto"
import {
  basicFilter,
  filterHash,
  filterHeader,
  NO_FILTER_HEADER,
  scriptsOfBlock
} from "@lockstep/protocol/filters/basic-filter.ts"
import * as Effect from "effect/Effect"
import { damagedIndex } from "../damaged-index.ts"
import type { BlockFilter, FilterHeader } from "../../engine/api/index-calls.ts"
import { displayHash } from "../../hex.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { KeySpace, numberedKey } from "../../storage/key-space.ts"
import type { KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainIndex } from "../chain-index.ts"

/** The basic filter of every block, and its header in the chain of filter headers. Those of disconnected blocks stay. */
export interface BlockFilterIndex extends ChainIndex {
  readonly findHeader: (
    node: HeaderIndexNode,
    store: KeyValueReader
  ) => Effect.Effect<FilterHeader | undefined, StorageError>
  readonly findFilter: (
    node: HeaderIndexNode,
    store: KeyValueReader
  ) => Effect.Effect<BlockFilter | undefined, StorageError>
}

const HASH_SIZE = 32

/** The hash and the header of a block's filter, without the filter. */
type FilterEntry = Pick<FilterHeader, "filterHash" | "header">

/** Encodes the header, then the hash. */
const encodeFilterEntry = (entry: FilterEntry): Uint8Array => {
  const bytes = new Uint8Array(2 * HASH_SIZE)
  bytes.set(entry.header)
  bytes.set(entry.filterHash, HASH_SIZE)
  return bytes
}

/** Returns `undefined` for invalid bytes. */
const decodeFilterEntry = (bytes: Uint8Array): FilterEntry | undefined =>
  bytes.length === 2 * HASH_SIZE ? { header: bytes.slice(0, HASH_SIZE), filterHash: bytes.slice(HASH_SIZE) } : undefined

export interface BlockFilterOptions {
  readonly crypto: Crypto
  /** Number of blocks that a reorganization may go back before the index has to read. */
  readonly remembered?: number
  /** Bytes of uncommitted filters from which a commit is due. */
  readonly mostPendingBytes?: number
}

const REMEMBERED = 288
/** Default of `mostPendingBytes`. */
export const MOST_PENDING_BYTES = 32 * 1024 * 1024

const broken = (node: HeaderIndexNode): StorageError =>
  damagedIndex(`The filter of block ${displayHash(node.hash)} is missing or damaged`)

const nameOf = ({ hash }: HeaderIndexNode): string => Buffer.from(hash).toString("latin1")
const headerKey = ({ hash, height }: HeaderIndexNode): Uint8Array => numberedKey(KeySpace.filterHeader, height, hash)
const filterKey = ({ hash, height }: HeaderIndexNode): Uint8Array => numberedKey(KeySpace.filter, height, hash)

export const blockFilterIndex = (
  { crypto, mostPendingBytes = MOST_PENDING_BYTES, remembered = REMEMBERED }: BlockFilterOptions
): BlockFilterIndex => {
  /** Uncommitted entries. */
  const pending = new Map<
    string,
    { readonly node: HeaderIndexNode; readonly entry: FilterEntry; readonly filter: Uint8Array }
  >()
  let pendingBytes = 0
  /** Headers of the newest filters: the next one is chained to one of them. */
  const recent = new Map<string, Uint8Array>()

  const keep = (node: HeaderIndexNode, header: Uint8Array): void => {
    recent.delete(nameOf(node))
    recent.set(nameOf(node), header)
    if (recent.size > remembered) recent.delete(recent.keys().next().value!)
  }

  const entryOf = Effect.fnUntraced(
    function*(node: HeaderIndexNode, store: KeyValueReader): Effect.fn.Return<FilterEntry | undefined, StorageError> {
      const waiting = pending.get(nameOf(node))
      if (waiting !== undefined) return waiting.entry
      const bytes = yield* store.get(headerKey(node))
      return bytes && (decodeFilterEntry(bytes) ?? (yield* broken(node)))
    }
  )

  const findHeader: BlockFilterIndex["findHeader"] = (node, store) =>
    Effect.map(entryOf(node, store), (entry) => entry && { block: node.hash.slice(), ...entry })

  return {
    name: "basic block filter index",
    connected: ({ block, node, undo }) => {
      const previous = node.parent === undefined ? NO_FILTER_HEADER : recent.get(nameOf(node.parent))
      if (previous === undefined) throw new Error("The header of the filter before is not known")
      const filter = basicFilter(node.hash, scriptsOfBlock(block, undo))
      const hash = filterHash(filter, crypto)
      const header = filterHeader(hash, previous, crypto)
      const name = nameOf(node)
      pendingBytes += filter.length - (pending.get(name)?.filter.length ?? 0)
      pending.set(name, { node, entry: { header, filterHash: hash }, filter })
      keep(node, header)
    },
    disconnected: () => {},
    writeChanges: (batch) => {
      const inOrder = Array.from(pending.values()).sort((a, b) => a.node.height - b.node.height)
      for (const { filter, node } of inOrder) batch.put(filterKey(node), filter)
      for (const { entry, node } of inOrder) batch.put(headerKey(node), encodeFilterEntry(entry))
    },
    committed: () => {
      pending.clear()
      pendingBytes = 0
    },
    isFull: () => pendingBytes >= mostPendingBytes,
    state: () => new Uint8Array(0),
    restore: (state) => state.length === 0,
    memory: {
      has: (parent) => parent === undefined || recent.has(nameOf(parent)),
      read: Effect.fnUntraced(function*(parent, store) {
        const entry = yield* entryOf(parent, store)
        keep(parent, (entry ?? (yield* broken(parent))).header)
      })
    },
    findHeader,
    findFilter: Effect.fnUntraced(function*(node, store) {
      const header = yield* findHeader(node, store)
      if (header === undefined) return undefined
      const filter = pending.get(nameOf(node))?.filter ?? (yield* store.get(filterKey(node)))
      return { ...header, filter: filter ?? (yield* broken(node)) }
    })
  }
}
