import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import { KeySpace } from "../../storage/key-space.ts"
import { PLACE_SIZE, type TransactionPlace, placeAt, writePlace } from "./transaction-place.ts"

const ID_SIZE = 32
const RECORD = ID_SIZE + PLACE_SIZE
const FIRST_CAPACITY = 1024

/** Number of uncommitted positions (50 MB) from which a commit is due. A double holds such a number with a prefix. */
const FULL = 1 << 20

/**
 * Uncommitted positions; a later one replaces an earlier one. One flat array: a million small objects would be several
 * times as large, and each would burden the garbage collector.
 */
export interface PendingPlaces {
  readonly put: (id: Uint8Array, place: TransactionPlace) => void
  readonly find: (id: Uint8Array) => TransactionPlace | undefined
  /** Writes all positions, nearly in the order of their keys. */
  readonly writeTo: (batch: BatchWriter) => void
  readonly clear: () => void
  readonly isFull: () => boolean
}

export const pendingPlaces = (): PendingPlaces => {
  let bytes = new Uint8Array(FIRST_CAPACITY * RECORD)
  let view = new DataView(bytes.buffer)
  let count = 0

  const add = (id: Uint8Array, place: TransactionPlace): void => {
    if ((count + 1) * RECORD > bytes.length) {
      const larger = new Uint8Array(bytes.length * 2)
      larger.set(bytes)
      bytes = larger
      view = new DataView(bytes.buffer)
    }
    bytes.set(id, count * RECORD)
    writePlace(bytes, count * RECORD + ID_SIZE, place)
    count++
  }

  const isAt = (index: number, id: Uint8Array): boolean => {
    for (let i = 0; i < ID_SIZE; i++) if (bytes[index * RECORD + i] !== id[i]) return false
    return true
  }

  return {
    put: add,
    find: (id) => {
      for (let index = count - 1; index >= 0; index--) {
        if (isAt(index, id)) return placeAt(bytes, index * RECORD + ID_SIZE)
      }
      return undefined
    },
    writeTo: (batch) => {
      // First four bytes and number in one double, because sorting numbers is many times as fast as comparing keys.
      // Equal prefixes keep their order, so that the latest position of a txid wins.
      const order = new Float64Array(count)
      for (let index = 0; index < count; index++) order[index] = view.getUint32(index * RECORD) * (2 * FULL) + index
      order.sort()
      const key = new Uint8Array(1 + ID_SIZE)
      key[0] = KeySpace.transactionIndex
      for (const each of order) {
        const at = each % (2 * FULL) * RECORD
        key.set(bytes.subarray(at, at + ID_SIZE), 1)
        batch.put(key, bytes.subarray(at + ID_SIZE, at + RECORD))
      }
    },
    clear: () => {
      count = 0
      if (bytes.length > FIRST_CAPACITY * RECORD) {
        bytes = new Uint8Array(FIRST_CAPACITY * RECORD)
        view = new DataView(bytes.buffer)
      }
    },
    isFull: () => count >= FULL
  }
}
