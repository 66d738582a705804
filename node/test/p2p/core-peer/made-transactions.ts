import { concatBytes } from "@lockstep/kernel/bytes"
import { type OutPoint, type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import type { Inhabitant } from "./core-world.ts"

/** Standard outputs that anyone can spend: behind the hash of a script that is true, with a witness or without. */
export type OutputKind = "witness" | "plain"

const TRUE = Uint8Array.of(0x51)

export const OUTPUTS: Readonly<Record<OutputKind, Uint8Array>> = {
  witness: concatBytes([Uint8Array.of(0x00, 0x20), testCrypto.sha256(TRUE)]),
  plain: concatBytes([Uint8Array.of(0xa9, 0x14), testCrypto.hash160(TRUE), Uint8Array.of(0x87)])
}

/** Spends outputs of one kind, and makes one of the same kind for each value. */
export const spend = (
  kind: OutputKind,
  inputs: ReadonlyArray<OutPoint>,
  values: ReadonlyArray<bigint>,
  version = 2
): Transaction =>
  transactionOf({
    version,
    inputs: inputs.map((prevout) => ({
      prevout,
      script: kind === "plain" ? Uint8Array.of(1, 0x51) : new Uint8Array(),
      sequence: 0xfffffffd,
      witness: kind === "witness" ? [TRUE] : []
    })),
    outputs: values.map((value) => ({ value, script: OUTPUTS[kind] })),
    lockTime: 0
  })

export const outputOf = (tx: Transaction, vout = 0): OutPoint => ({ txid: transactionId(tx, testCrypto), vout })

/** The reward of a block of a chain, on regtest before the first halving. */
export const REWARD = 5_000_000_000n
export const FEE = 10_000n

/** The output of the coinbase at a height. */
export const rewardAt = Effect.fnUntraced(function*({ engine: { chain } }: Inhabitant, height: number) {
  const { identity } = yield* loadBlock(chain, activeAt(chain.tree, height)!)
  return { txid: identity.transactionIds.slice(0, 32), vout: 0 }
})

/** As `sendrawtransaction`: it must be taken. */
export const submit = Effect.fnUntraced(function*({ chain: { chain } }: Inhabitant, tx: Transaction) {
  const answer = yield* chain.acceptTransaction(new Uint8Array(tx.bytes))
  return answer?._tag === "Rejected" ? answer.rejection.reason : answer?._tag
})

export const hasInPool = ({ chain: { chain } }: Inhabitant, tx: Transaction): boolean =>
  chain.mempool.has("txid", transactionId(tx, testCrypto))
