import { type OutPoint, type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { coinbaseScript, OP_FALSE_SCRIPT, OP_TRUE_SCRIPT, P2WSH_OP_TRUE } from "./base-chain.ts"
import type { Ledger } from "./ledger.ts"
import { type MadeBlock, outpointText } from "./made-block.ts"

/** Long enough that a transaction with one such output is not too small; anyone can spend it. */
const PADDED = Uint8Array.of(0x51, 0x61, 0x61, 0x61, 0x61, 0x61)
const MATURITY = 100
const FEE = 10_000n

interface Coin {
  readonly height: number
  readonly prevout: OutPoint
  readonly value: bigint
}

/** The coins that coinbases of the base chain made, for those that need a transaction. */
export interface Wallet {
  /**
   * A transaction that the next block on top of `tip` may hold, or that is wrong by its script; none: no coin is left.
   */
  readonly spend: (tip: MadeBlock, isScriptWrong?: boolean) => Transaction | undefined
  /** One whose coin no other transaction wants; none: there is none. */
  readonly spendFresh: (tip: MadeBlock) => Transaction | undefined
  /** One that spends what a block on the chain has spent already; none: no block of the last few has spent anything. */
  readonly spendAgain: (tip: MadeBlock) => Transaction | undefined
}

/** A transaction that spends one output, for which no signature is needed. */
export const spendOf = (
  prevout: OutPoint,
  value: bigint,
  witness: ReadonlyArray<Uint8Array> = [],
  lockTime = 0
): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{ prevout, script: new Uint8Array(), sequence: lockTime === 0 ? 0xffffffff : 0, witness }],
    outputs: [{ value: value - FEE, script: PADDED }],
    lockTime
  })

/** A transaction that spends the only output of another. */
export const childOfTransaction = (tx: Transaction): Transaction =>
  spendOf({ txid: transactionId(tx, testCrypto), vout: 0 }, tx.outputs[0]!.value)

/** Blocks that are looked through for a coin that is spent. */
const REACH = 30

export const wallet = ({ base }: Ledger): Wallet => {
  const coins = base.slice(1).map((block, i): Coin => {
    const [coinbase] = blockOf(block.bytes)!.transactions
    return {
      height: i + 1,
      prevout: { txid: transactionId(coinbase!, testCrypto), vout: 0 },
      value: coinbase!.outputs[0]!.value
    }
  })
  /** Coins are handed out one after another, so that a loose transaction and a block rarely want the same. */
  let next = 0
  const used = new Set<Coin>()
  const candidates = (scripts: ReadonlyArray<Uint8Array>, tip: MadeBlock): ReadonlyArray<Coin> => {
    const spent = new Set<string>()
    // The base chain spends nothing.
    for (let at = tip; base[at.node.height] !== at; at = at.parent!) {
      for (const outpoint of at.spends) spent.add(outpoint)
    }
    return coins.filter(({ height, prevout }) =>
      scripts.includes(coinbaseScript(height)) && height + MATURITY <= tip.node.height + 1 &&
      !spent.has(outpointText(prevout))
    )
  }

  const use = (coin: Coin | undefined): Transaction | undefined => {
    if (coin === undefined) return undefined
    used.add(coin)
    return spendOf(coin.prevout, coin.value, coinbaseScript(coin.height) === P2WSH_OP_TRUE ? [OP_TRUE_SCRIPT] : [])
  }

  return {
    spend: (tip, isScriptWrong = false) => {
      const free = candidates(isScriptWrong ? [OP_FALSE_SCRIPT] : [OP_TRUE_SCRIPT, P2WSH_OP_TRUE], tip)
      return use(free[next++ % Math.max(1, free.length)])
    },
    spendFresh: (tip) => use(candidates([OP_TRUE_SCRIPT, P2WSH_OP_TRUE], tip).find((coin) => !used.has(coin))),
    spendAgain: (tip) => {
      for (
        let at: MadeBlock | undefined = tip;
        at !== undefined && at.node.height > tip.node.height - REACH;
        at = at.parent
      ) {
        const [spent] = blockOf(at.bytes)!.transactions.slice(1)
        if (spent !== undefined) {
          return spendOf(spent.inputs[0]!.prevout, spent.outputs[0]!.value, spent.inputs[0]!.witness)
        }
      }
      return undefined
    }
  }
}
