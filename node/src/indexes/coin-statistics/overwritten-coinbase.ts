import type { Height } from "@lockstep/kernel/quantities"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { hashOfDigits } from "@lockstep/protocol/networks/hex.ts"

/** The blocks of the main network whose coinbase was repeated before the first was spent. */
const OVERWRITTEN = [
  { height: 91_722, hash: hashOfDigits("00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e") },
  { height: 91_812, hash: hashOfDigits("00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f") }
]

/** Reports whether the coinbase of this block can never be spent, because a later one overwrote it. */
export const isOverwrittenCoinbase = (height: Height, hash: Uint8Array): boolean =>
  OVERWRITTEN.some((each) => each.height === height && bytesEqual(each.hash, hash))
