import type { CoinSpace } from "../../coins/coin-space.ts"
import { KeySpace, namedKey } from "../../storage/key-space.ts"

/** The background chain as it was committed: blocks in wire order. */
export interface BackgroundRecord {
  /** The block of the snapshot. */
  readonly base: Uint8Array
  /** The block that the coins of the background chain belong to. */
  readonly tip: Uint8Array
}

/** Which set of coins is that of the active chain, and what the other one is. */
export interface CoinsRecord {
  readonly active: CoinSpace
  /** The other set is of no use and is to be removed. */
  readonly hasLeftover: boolean
  /** The other set is that of the background chain. */
  readonly background: BackgroundRecord | undefined
}

/** Where the record is. A store without one has a single set of coins, the first. */
export const COINS_RECORD_KEY = namedKey(KeySpace.meta, "coins")

/*
 * active space (1) ‖ 0: no other coins, 1: leftover, 2: background ‖ for a background: base (32) ‖ tip (32)
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

/** The record in these bytes; none when they are no record. */
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
