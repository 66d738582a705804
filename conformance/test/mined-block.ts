import { concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Result from "effect/Result"
import type { TransactionInput, TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { type TransactionContent, transactionBytes } from "../src/judge/transaction-bytes.ts"

const { powLimit } = REGTEST.parameters.work
const EASIEST = 0x207fffff

const uint32 = (value: number): Uint8Array => new Uint8Array(new Uint32Array([value]).buffer)

/** What may be unusual about a block; everything else is as it should be. */
export interface Unusual {
  readonly time?: number
  readonly version?: number
  readonly coinbase?: Partial<TransactionContent>
  readonly transactions?: ReadonlyArray<TransactionContent>
  /** Reports apart blocks that are otherwise the same. */
  readonly tag?: number
}

export const ANYONE: TransactionOutput = { value: 5_000_000_000n, script: Uint8Array.of(0x51) }

const heightPush = (height: number): Uint8Array =>
  height <= 16
    ? Uint8Array.of(0x50 + height)
    : height < 128
    ? Uint8Array.of(1, height)
    : Uint8Array.of(2, height & 255, height >> 8)

const nullInput = (script: Uint8Array): TransactionInput => ({
  prevout: { txid: new Uint8Array(32), vout: 0xffffffff },
  script,
  sequence: 0xffffffff,
  witness: []
})

/** The coinbase of a block at `height`. */
export const coinbaseOf = (height: number, tag = 0): TransactionContent => ({
  version: 2,
  inputs: [nullInput(Uint8Array.of(...heightPush(height), 4, ...uint32(tag)))],
  outputs: [ANYONE],
  lockTime: 0
})

/** The id of a transaction. */
export const idOf = (tx: TransactionContent): Uint8Array =>
  nobleCrypto.sha256d(transactionBytes({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) }))

/** The hash of a block. */
export const hashOf = (block: Uint8Array): Uint8Array => nobleCrypto.sha256d(block.subarray(0, 80))

/** A regtest block at `height` on top of `parent`. */
export const minedBlock = (parent: Uint8Array, height: number, unusual: Unusual = {}): Uint8Array => {
  const coinbase = { ...coinbaseOf(height, unusual.tag), ...unusual.coinbase }
  const transactions = [coinbase, ...unusual.transactions ?? []]
  const { root } = merkleRoot(concatBytes(transactions.map(idOf)), nobleCrypto)
  const time = unusual.time ?? 1_700_000_000 + height
  const start = concatBytes([uint32(unusual.version ?? 0x20000000), parent, root, uint32(time), uint32(EASIEST)])
  for (let nonce = 0;; nonce++) {
    const header = concatBytes([start, uint32(nonce)])
    if (Result.isFailure(proofOfWork(nobleCrypto.sha256d(header), EASIEST, powLimit))) continue
    return concatBytes([header, Uint8Array.of(transactions.length), ...transactions.map(transactionBytes)])
  }
}

/** `count` blocks one on top of the other. */
export const minedChain = (parent: Uint8Array, height: number, count: number, tag = 0): ReadonlyArray<Uint8Array> => {
  const blocks: Array<Uint8Array> = []
  for (let i = 0, at = parent; i < count; i++) {
    const block = minedBlock(at, height + i, { tag })
    blocks.push(block)
    at = hashOf(block)
  }
  return blocks
}
