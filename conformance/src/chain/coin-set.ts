import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { OutPoint } from "@lockstep/kernel/internal/model/transaction.ts"
import { coinBytes } from "@lockstep/kernel/internal/utxo-hash/coin-serialization.ts"
import {
  EMPTY_MUHASH,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/internal/utxo-hash/muhash.ts"
import { compareForHash } from "@lockstep/kernel/internal/utxo-hash/serialized-hash.ts"
import { bogoSize } from "@lockstep/kernel/internal/utxo-hash/statistics.ts"
import type { Coin, PlacedCoin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import type { Overlay } from "@lockstep/kernel/internal/utxo/overlay.ts"

/** All coins of a chain, with what they add up to kept along. */
export interface CoinSet extends UtxoView {
  readonly table: Map<string, PlacedCoin>
  total: bigint
  bogoSize: number
  muHash: MuHash
}

const keyOf = ({ txid, vout }: OutPoint): string =>
  `${Buffer.from(txid.buffer, txid.byteOffset, txid.byteLength).toString("latin1")}${vout}`

/** A set without coins. */
export const coinSet = (): CoinSet => {
  const table = new Map<string, PlacedCoin>()
  return { table, total: 0n, bogoSize: 0, muHash: EMPTY_MUHASH, coinAt: (outpoint) => table.get(keyOf(outpoint))?.coin }
}

/** A coin that holds no view into the block which made it, so that the block's memory can be freed. */
export const ownedCoin = (coin: Coin): Coin => ({ ...coin, script: new Uint8Array(coin.script) })

const take = (set: CoinSet, key: string, outpoint: OutPoint, coin: Coin, crypto: Crypto): void => {
  set.table.delete(key)
  set.total -= coin.value
  set.bogoSize -= bogoSize(coin)
  set.muHash = muHashRemove(set.muHash, muHashElement(coinBytes(outpoint, coin), crypto))
}

const put = (set: CoinSet, key: string, outpoint: OutPoint, coin: Coin, crypto: Crypto): void => {
  set.table.set(key, { outpoint: { txid: new Uint8Array(outpoint.txid), vout: outpoint.vout }, coin: ownedCoin(coin) })
  set.total += coin.value
  set.bogoSize += bogoSize(coin)
  set.muHash = muHashInsert(set.muHash, muHashElement(coinBytes(outpoint, coin), crypto))
}

/** Writes the changes of `overlay`, which lies on top of `set`. */
export const applyChanges = (set: CoinSet, { changes }: Overlay, crypto: Crypto): void => {
  for (const [i, outpoint] of changes.outpoints.entries()) {
    const { after, before } = changes.values[i]!
    const key = keyOf(outpoint)
    if (before !== undefined) take(set, key, outpoint, before, crypto)
    if (after !== undefined) put(set, key, outpoint, after, crypto)
  }
}

/** The MuHash of the set, in wire order. */
export const muHashOf = (set: CoinSet, crypto: Crypto): Uint8Array => muHashDigest(set.muHash, crypto)

/** All coins in the order that the serialized hash takes them. */
export const sortedCoins = (set: CoinSet): ReadonlyArray<PlacedCoin> =>
  [...set.table.values()].sort((a, b) => compareForHash(a.outpoint, b.outpoint))
