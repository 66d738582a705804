import { type OutPoint, type Transaction, transactionOf } from "@lockstep/kernel/model"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { activeAt } from "../../../../src/engine/header-index/active-chain.ts"
import type { RunningEngine } from "../../../../src/engine/host/engine.ts"
import type { TransactionOutcome } from "../../../../src/engine/api/mempool-calls.ts"
import { temporaryDirectory } from "../../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../../planted-blocks.ts"
import { testCrypto, testEngine, type TestEngineOptions } from "../../test-engine.ts"
import { coinbaseAt, idOf, rawOf } from "../loose-transactions.ts"

const OP_TRUE_SCRIPT = Uint8Array.of(0x51)

export const scriptHash = (redeem: Uint8Array): Uint8Array =>
  concatBytes([Uint8Array.of(0xa9, 0x14), testCrypto.hash160(redeem), Uint8Array.of(0x87)])

export const witnessScriptHash = (script: Uint8Array): Uint8Array =>
  concatBytes([Uint8Array.of(0x00, 0x20), testCrypto.sha256(script)])

/** The hash of OP_TRUE (P2SH): anyone can spend it, and it is standard. */
export const P2SH_OP_TRUE = scriptHash(OP_TRUE_SCRIPT)
export const ANCHOR = Uint8Array.of(0x51, 0x02, 0x4e, 0x73)

export interface Input extends OutPoint {
  readonly script?: Uint8Array
  readonly witness?: ReadonlyArray<Uint8Array>
  readonly sequence?: number
}

export interface Payment {
  /** Redeemed as {@link P2SH_OP_TRUE}, unless they say how. */
  readonly from: ReadonlyArray<Input>
  /** Values, to {@link P2SH_OP_TRUE}, or values and scripts. */
  readonly to: ReadonlyArray<bigint | readonly [bigint, Uint8Array]>
  readonly version?: number
  readonly lockTime?: number
  /** Of inputs that do not say another. */
  readonly sequence?: number
}

const REDEEM = Uint8Array.of(0x01, 0x51)

export const pay = ({ from, lockTime = 0, sequence = 0xffffffff, to, version = 2 }: Payment): Transaction =>
  transactionOf({
    version,
    inputs: from.map(({ script = REDEEM, sequence: own = sequence, txid, vout, witness = [] }) => ({
      prevout: { txid, vout },
      script,
      sequence: own,
      witness
    })),
    outputs: to.map((each) =>
      typeof each === "bigint" ? { value: each, script: P2SH_OP_TRUE } : { value: each[0], script: each[1] }
    ),
    lockTime
  })

export const output = (tx: Transaction, vout = 0): OutPoint => ({ txid: idOf(tx), vout })

/** Mines blocks whose coinbases anyone can spend. */
export const mineBlocks = (
  { call }: RunningEngine,
  blocks: number,
  transactions: ReadonlyArray<Transaction> = []
) =>
  call("generate", {
    script: P2SH_OP_TRUE,
    blocks,
    maxTries: 1_000_000,
    transactions: transactions.map(rawOf),
    submit: true
  })

/** What each confirmed coin of {@link withCoins} is worth. */
export const COIN = 1_000_000n

/** An engine with confirmed coins of these scripts, 1,000,000 satoshis each, one block deep, and `plain` more. */
export const withCoins = Effect.fnUntraced(
  function*(
    plain = 20,
    scripts: ReadonlyArray<Uint8Array> = [],
    around: Pick<TestEngineOptions<readonly []>, "options" | "parts"> = {}
  ) {
    const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT, ...around })
    yield* mineBlocks(engine, 102)
    const outputs = [...scripts, ...Array.from({ length: plain }, () => P2SH_OP_TRUE)]
    const maker = pay({
      from: [yield* coinbaseAt(engine, 1)],
      to: outputs.map((script) => [COIN, script] as const)
    })
    yield* mineBlocks(engine, 1, [maker])
    const coins = outputs.map((_script, vout) => output(maker, vout))
    const tipOf = () => activeAt(engine.chain.tree, engine.chain.tree.tip.height)!
    return { engine, maker, special: coins.slice(0, scripts.length), coins: coins.slice(scripts.length), tipOf }
  }
)

/** An outcome in a line: the reason, what Bitcoin Core adds, and the class. */
export const said = (outcome: TransactionOutcome | undefined): string => {
  if (outcome?._tag !== "Rejected") return outcome?._tag ?? "not judged"
  const { debug, reason, what } = outcome.rejection
  return debug === undefined ? `${reason} [${what}]` : `${reason} | ${debug} [${what}]`
}
