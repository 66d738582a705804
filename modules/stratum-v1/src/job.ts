import { expandTarget } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import { type CoinbaseParts, coinbaseParts } from "../../mining/coinbase.ts"
import { merkleBranch } from "../../mining/merkle.ts"

/** Bytes of the coinbase that differ between connections, and those that a miner iterates. */
export const EXTRANONCE1_BYTES = 4
export const EXTRANONCE2_BYTES = 8

/** A template in the form that miners work on. */
export interface Job {
  readonly id: string
  readonly template: BlockTemplate
  readonly coinbase: CoinbaseParts
  readonly branch: ReadonlyArray<Uint8Array>
  /** Target of the block. */
  readonly target: bigint
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const number = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

/** Encodes the previous hash as Stratum does: eight words, each with reversed bytes. */
const turnedWords = (hash: Uint8Array): string => hex(Buffer.from(hash).swap32())

export const jobOf = (id: string, template: BlockTemplate): Job => ({
  id,
  template,
  coinbase: coinbaseParts(template, template.coinbase_script!, EXTRANONCE1_BYTES + EXTRANONCE2_BYTES),
  branch: merkleBranch(template.transactions.map(({ txid }) => txid)),
  target: expandTarget(template.bits)!
})

/** Returns the parameters of `mining.notify`. */
export const notifyParameters = (
  { branch, coinbase, id, template }: Job,
  isClean: boolean
): ReadonlyArray<string | boolean | ReadonlyArray<string>> => [
  id,
  turnedWords(template.previous_hash),
  hex(coinbase.before),
  hex(coinbase.after),
  branch.map(hex),
  number(template.version),
  number(template.bits),
  number(template.current_time),
  isClean
]
