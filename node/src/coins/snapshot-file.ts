import { concatBytes } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { PlacedCoin } from "@lockstep/kernel/utxo"
import { coinBytes, serializedSetHash } from "@lockstep/kernel/utxo-hash"
import {
  snapshotCoin,
  snapshotHead,
  snapshotTransaction,
  snapshotVout
} from "@lockstep/protocol/snapshot/compressed-coin.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"

/** Writes a snapshot of coins in Bitcoin Core's format. */
export interface SnapshotFile {
  /** Adds coins in the order of their outpoints. */
  readonly add: (coins: ReadonlyArray<PlacedCoin>) => Promise<void>
  /** Writes the rest and the number of coins. Returns that number and the hash of the set. */
  readonly end: () => Promise<{ readonly coins: number; readonly setHash: Uint8Array }>
}

const isPublicKey = (key: Uint8Array): boolean => {
  try {
    secp256k1.Point.fromBytes(key)
    return true
  } catch {
    return false
  }
}

/** Number of bytes written at once. */
const CHUNK = 1 << 20

/** Makes a writer. `magic` identifies the network, and `block` is the block at which the coins are unspent. */
export const snapshotFile = (
  file: FileHandle,
  magic: Uint8Array,
  block: Uint8Array,
  crypto: Crypto
): SnapshotFile => {
  const hash = createHash("sha256")
  let waiting: Array<Uint8Array> = [snapshotHead(magic, block, 0)]
  let size = waiting[0]!.length
  let ofOne: Array<PlacedCoin> = []
  let coins = 0

  const put = (bytes: Uint8Array): void => {
    waiting.push(bytes)
    size += bytes.length
  }

  const putTransaction = (): void => {
    const [first] = ofOne
    if (first === undefined) return
    put(snapshotTransaction(first.outpoint.txid, ofOne.length))
    for (const { coin, outpoint } of ofOne) {
      put(snapshotVout(outpoint.vout))
      put(snapshotCoin(coin, isPublicKey))
    }
    ofOne = []
  }

  const write = async (): Promise<void> => {
    const bytes = concatBytes(waiting)
    waiting = []
    size = 0
    await file.write(bytes)
  }

  return {
    add: async (placed) => {
      for (const each of placed) {
        const [first] = ofOne
        if (first !== undefined && Buffer.compare(first.outpoint.txid, each.outpoint.txid) !== 0) putTransaction()
        hash.update(coinBytes(each.outpoint, each.coin))
        ofOne.push(each)
        coins++
      }
      if (size > CHUNK) await write()
    },
    end: async () => {
      putTransaction()
      await write()
      const head = snapshotHead(magic, block, coins)
      await file.write(head, 0, head.length, 0)
      await file.sync()
      return { coins, setHash: serializedSetHash([], hash, crypto) }
    }
  }
}
