import { compareBytes } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Hash } from "../quantities.ts"
import type { OutPoint } from "../model/transaction.ts"
import type { PlacedCoin } from "../utxo/coin.ts"
import { coinBytes } from "./coin-serialization.ts"

/**
 * A SHA-256 that is fed piece by piece: the UTXO set of a real chain fits no single array. The caller brings one,
 * unused.
 */
export interface Sha256Stream {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

/** The order in which the serialized hash takes coins: by id, first byte first as it is stored, then by number. */
export const compareForHash = (a: OutPoint, b: OutPoint): number => compareBytes(a.txid, b.txid) || a.vout - b.vout

/**
 * The hash of a UTXO set as one long string, in wire order.
 *
 *     hash(S) = SHA256d(bytes(c₁) ‖ bytes(c₂) ‖ …),  coins by transaction id, then by output number
 *
 * The id is compared byte by byte as it is stored, the number as a number. Precondition: `coins` come in that order.
 *
 * @spec UTX-014 #025602d0
 */
export const serializedSetHash = (coins: Iterable<PlacedCoin>, stream: Sha256Stream, crypto: Crypto): Hash => {
  for (const { coin, outpoint } of coins) stream.update(coinBytes(outpoint, coin))
  return crypto.sha256(stream.digest())
}
