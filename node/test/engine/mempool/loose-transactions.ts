import { type OutPoint, type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { EngineCalls } from "../../../src/engine/api/engine-calls.ts"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { testCrypto } from "../test-engine.ts"

/** The script of Pay-to-Anchor (P2A): anyone can spend it, and it is standard. */
export const PAY_TO_ANCHOR = Uint8Array.of(0x51, 0x02, 0x4e, 0x73)
/** An output of nothing, so that a transaction with one output is not too small. */
const PADDING = { value: 0n, script: Uint8Array.of(0x6a, 0x04, 0x70, 0x61, 0x64, 0x64) }

export interface Loose {
  readonly inputs: ReadonlyArray<OutPoint>
  /** Satoshis of each output. */
  readonly values: ReadonlyArray<bigint>
  readonly sequence?: number
  readonly lockTime?: number
  readonly version?: number
  /** Of each output. None: Pay-to-Anchor. */
  readonly outputScript?: Uint8Array
}

/** A transaction that needs no signature. */
export const loose = (
  { inputs, lockTime = 0, outputScript, sequence = 0xffffffff, values, version = 2 }: Loose
): Transaction =>
  transactionOf({
    version,
    inputs: inputs.map((prevout) => ({ prevout, script: new Uint8Array(), sequence, witness: [] })),
    outputs: [
      ...values.map((value) => ({ value, script: outputScript ?? PAY_TO_ANCHOR })),
      ...outputScript === undefined && values.length === 1 ? [PADDING] : []
    ],
    lockTime
  })

export const idOf = (tx: Transaction): Uint8Array => transactionId(tx, testCrypto)

export const outputOf = (tx: Transaction, vout = 0): OutPoint => ({ txid: idOf(tx), vout })

/** Copies bytes, which a call takes over. */
export const rawOf = ({ bytes }: Transaction): Uint8Array => new Uint8Array(bytes)

/** An engine here or in its thread. */
interface Miner<E> {
  readonly call: (
    name: "generate",
    input: EngineCalls["generate"]["in"]
  ) => Effect.Effect<EngineCalls["generate"]["out"], E>
}

/** Mines blocks whose coinbases anyone can spend. */
export const mine = <E>({ call }: Miner<E>, blocks: number, transactions: ReadonlyArray<Transaction> = []) =>
  call("generate", {
    script: PAY_TO_ANCHOR,
    blocks,
    maxTries: 1_000_000,
    transactions: transactions.map(rawOf),
    submit: true
  })

/** The output of the coinbase at a height. */
export const coinbaseAt = Effect.fnUntraced(function*({ chain }: Pick<RunningEngine, "chain">, height: number) {
  const { identity } = yield* loadBlock(chain, activeAt(chain.tree, height)!)
  return { txid: identity.transactionIds.slice(0, 32), vout: 0 }
})
