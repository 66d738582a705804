import { concatBytes } from "@lockstep/kernel/bytes"
import { hashNumber } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import { type BlockContents, blockBytes, headerBytes } from "./block.ts"
import type { CoinbaseParts } from "./coinbase.ts"
import { merkleRoot, sha256d } from "./merkle.ts"

/** What a block is made of, but for what a miner chooses. */
export interface MiningWork {
  readonly template: BlockContents & Pick<BlockTemplate, "bits" | "previous_hash">
  readonly coinbase: CoinbaseParts
  readonly branch: ReadonlyArray<Uint8Array>
}

/** What a miner found. */
export interface Solution {
  readonly extranonce: Uint8Array
  readonly time: number
  readonly nonce: number
  readonly version: number
}

/** The hash of a solution as a number, and the block that it makes. */
export interface SolvedBlock {
  readonly hash: Uint8Array
  readonly value: bigint
  readonly block: () => Uint8Array
}

const coinbaseWith = ({ coinbase }: MiningWork, extranonce: Uint8Array): Uint8Array =>
  concatBytes([coinbase.before, extranonce, coinbase.after])

/** The merkle root of the block with this extranonce. */
export const rootOf = (work: MiningWork, extranonce: Uint8Array): Uint8Array =>
  merkleRoot(sha256d(coinbaseWith(work, extranonce)), work.branch)

export const solvedBlock = (work: MiningWork, { extranonce, nonce, time, version }: Solution): SolvedBlock => {
  const { template } = work
  const header = headerBytes({
    version,
    previousHash: template.previous_hash,
    merkleRoot: rootOf(work, extranonce),
    time,
    bits: template.bits,
    nonce
  })
  const hash = sha256d(header)
  return { hash, value: hashNumber(hash), block: () => blockBytes(header, coinbaseWith(work, extranonce), template) }
}
