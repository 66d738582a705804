import type { CoinSpace } from "../../coins/coin-space.ts"
import { KeySpace, namedKey } from "../../storage/key-space.ts"

/** The background chain as of the last commit. Hashes are in wire order. */
export interface BackgroundRecord {
  /** Hash of the block of the snapshot. */
  readonly base: Uint8Array
  /** Hash of the block that the coins of the background chain belong to. */
  readonly tip: Uint8Array
}

/** The set of coins of the active chain, and the use of the other one. */
export interface CoinsRecord {
  readonly active: CoinSpace
  /** True if the other set is unused and to be removed. */
  readonly hasLeftover: boolean
  /** Set if the other set is that of the background chain. */
  readonly background: BackgroundRecord | undefined
}

/** Key of the record. A store without one has a single set of coins, the first. */
export const COINS_RECORD_KEY = namedKey(KeySpace.meta, "coins")

/*
 * active space (1) ‖ 0 for no other coins, 1 for leftover, 2 for background ‖ only for background: base (32) ‖ tip (32)
 */

const NONE = 0
const LEFTOVER = 1
const BACKGROUND = 2

export const encodeCoinsRecord = ({ active, background, hasLeftover }: CoinsRecord): Uint8Array => {
  if (background === undefined) return Uint8Array.of(active, hasLeftover ? LEFTOVER : NONE)
  const bytes = new Uint8Array(66)
  bytes[0] = active
  bytes[1] = BACKGROUND
  bytes.set(background.base, 2)
  bytes.set(background.tip, 34)
  return bytes
}

/** Decodes a record. Returns `undefined` for invalid bytes. */
export const decodeCoinsRecord = (bytes: Uint8Array): CoinsRecord | undefined => {
  const [active, other] = bytes
  if (active !== KeySpace.coin && active !== KeySpace.secondCoin) return undefined
  if (bytes.length === 66 && other === BACKGROUND) {
    return { active, hasLeftover: false, background: { base: bytes.slice(2, 34), tip: bytes.slice(34) } }
  }
  return bytes.length === 2 && (other === NONE || other === LEFTOVER)
    ? { active, hasLeftover: other === LEFTOVER, background: undefined }
    : undefined
}
