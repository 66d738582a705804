import type { OutPoint } from "@lockstep/kernel/model"
import { KeySpace } from "../storage/key-space.ts"

/** Bytes of a coin's key: space, txid, output index. */
export const COIN_KEY_SIZE = 37

/** Writes the key of an outpoint. */
export const writeCoinKey = (key: Uint8Array, { txid, vout }: OutPoint): void => {
  key[0] = KeySpace.coin
  key.set(txid, 1)
  key[33] = vout >>> 24
  key[34] = vout >>> 16
  key[35] = vout >>> 8
  key[36] = vout
}

/** Returns the key of a coin. */
export const coinKey = (outpoint: OutPoint): Uint8Array => {
  const key = new Uint8Array(COIN_KEY_SIZE)
  writeCoinKey(key, outpoint)
  return key
}

/** Returns the outpoint of a key; its txid is a view of the key. */
export const outPointOfKey = (key: Uint8Array): OutPoint => ({
  txid: key.subarray(1, 33),
  vout: (key[33]! * 0x100_0000) + ((key[34]! << 16) | (key[35]! << 8) | key[36]!)
})
