import { concatBytes } from "@lockstep/kernel/bytes"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import { blockBytes, headerBytes } from "../../mining/block.ts"
import { type CoinbaseParts, coinbaseParts } from "../../mining/coinbase.ts"
import { merkleBranch, merkleRoot, sha256d } from "../../mining/merkle.ts"

/** Bytes of the coinbase that tell connections apart, and those that a miner counts through. */
export const EXTRANONCE1_BYTES = 4
export const EXTRANONCE2_BYTES = 8

/** A template as miners work on it. */
export interface Job {
  readonly id: string
  readonly template: BlockTemplate
  readonly coinbase: CoinbaseParts
  readonly branch: ReadonlyArray<Uint8Array>
  /** Of the block. */
  readonly target: bigint
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const number = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

/** Stratum has the previous hash in eight words, each of them turned around. */
const turnedWords = (hash: Uint8Array): string => hex(Buffer.from(hash).swap32())

export const jobOf = (id: string, template: BlockTemplate): Job => ({
  id,
  template,
  coinbase: coinbaseParts(template, template.coinbase_script!, EXTRANONCE1_BYTES + EXTRANONCE2_BYTES),
  branch: merkleBranch(template.transactions.map(({ txid }) => txid)),
  target: expandTarget(template.bits)!
})

/** The parameters of `mining.notify`. */
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

/** What a miner found. */
export interface Solution {
  readonly extranonce: Uint8Array
  readonly time: number
  readonly nonce: number
  readonly version: number
}

/** The hash of a solution as a number, and the block that it makes. */
export interface Solved {
  readonly hash: Uint8Array
  readonly value: bigint
  readonly block: () => Uint8Array
}

export const solved = (job: Job, { extranonce, nonce, time, version }: Solution): Solved => {
  const coinbase = concatBytes([job.coinbase.before, extranonce, job.coinbase.after])
  const header = headerBytes({
    version,
    previousHash: job.template.previous_hash,
    merkleRoot: merkleRoot(sha256d(coinbase), job.branch),
    time,
    bits: job.template.bits,
    nonce
  })
  const hash = sha256d(header)
  return { hash, value: hashNumber(hash), block: () => blockBytes(header, coinbase, job.template) }
}
