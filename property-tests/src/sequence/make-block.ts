import type { NaiveBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { heightPush, witnessCommitment } from "../oracles/check-block.ts"
import { sha256d } from "../oracles/hash.ts"
import { type NaiveHeader, serializeHeader } from "../oracles/header.ts"
import { merkleRoot } from "../oracles/merkle.ts"
import { provesWork } from "../oracles/target.ts"
import { type NaiveInput, type NaiveOutput, type NaiveTransaction, transactionId } from "../oracles/transaction.ts"
import { EASIEST_TARGET } from "./network.ts"

const ZERO = new Uint8Array(32)
const FINAL = 0xffffffff

/** An input that spends output `vout` of `txid`, final, with nothing to show. */
export const inputOf = (txid: Uint8Array, vout: number): NaiveInput => ({
  txid,
  vout,
  script: new Uint8Array(0),
  sequence: FINAL,
  witness: []
})

/** A coinbase of `height` whose script ends in `tag`, so that two of one height may differ. */
export const coinbaseOf = (height: number, outputs: ReadonlyArray<NaiveOutput>, tag: Uint8Array): NaiveTransaction => ({
  version: 1,
  inputs: [{ ...inputOf(ZERO, 0xffffffff), script: join(heightPush(height), [0], tag) }],
  outputs,
  lockTime: 0
})

/** The output that commits to the witnesses of `transactions`, the first of which is the coinbase. */
export const commitmentOutput = (
  transactions: ReadonlyArray<NaiveTransaction>,
  nonce: Uint8Array = ZERO
): NaiveOutput => ({
  value: 0n,
  script: join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], witnessCommitment(transactions, nonce))
})

/** The same transactions with a coinbase that commits to the witnesses of all. */
export const committed = (transactions: ReadonlyArray<NaiveTransaction>): ReadonlyArray<NaiveTransaction> => {
  const [coinbase, ...others] = transactions
  const inputs = coinbase!.inputs.map((input) => ({ ...input, witness: [ZERO] }))
  const outputs = [...coinbase!.outputs, commitmentOutput(transactions)]
  return [{ ...coinbase!, inputs, outputs }, ...others]
}

/** The header with the first of a few nonces from its own on that proves its work, or with the last that was tried. */
export const mined = (header: NaiveHeader): Uint8Array => {
  for (let tries = 0;; tries++) {
    const bytes = serializeHeader({ ...header, nonce: (header.nonce + tries) % 2 ** 32 })
    if (tries >= 64 || provesWork(sha256d(bytes), header.bits, EASIEST_TARGET)) return bytes
  }
}

/** A block of `transactions` under a header that commits to them. */
export const blockOf = (
  header: Pick<NaiveHeader, "version" | "previous" | "time" | "bits">,
  transactions: ReadonlyArray<NaiveTransaction>
): NaiveBlock => ({
  header: mined({ ...header, merkleRoot: merkleRoot(transactions.map(transactionId)).root, nonce: 0 }),
  transactions
})
