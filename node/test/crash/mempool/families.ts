import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { type OutPoint, type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import { bech32m } from "@scure/base"
import { wireCrypto } from "../../p2p/sockets/regtest-wire.ts"

/** The script of Pay-to-Anchor (P2A): anyone can spend it, and it is standard. */
export const PAY_TO_ANCHOR = Uint8Array.of(0x51, 0x02, 0x4e, 0x73)
/** The same, on regtest. */
export const PAY_TO_ANCHOR_ADDRESS = bech32m.encode("bcrt", [1, ...bech32m.toWords(PAY_TO_ANCHOR.slice(2))])

/** A coin that anyone can spend. */
export interface LooseCoin {
  readonly outpoint: OutPoint
  readonly value: bigint
}

export interface LooseTransaction {
  /** In display order. */
  readonly txid: string
  readonly tx: Transaction
  readonly hex: string
  readonly coins: ReadonlyArray<LooseCoin>
}

/** Spends anyone-can-spend coins into equal anyone-can-spend outputs. */
export const spendLoose = (coins: ReadonlyArray<LooseCoin>, outputs: number, fee: bigint): LooseTransaction => {
  const total = coins.reduce((sum, { value }) => sum + value, -fee)
  const value = total / BigInt(outputs)
  const tx = transactionOf({
    version: 2,
    inputs: coins.map(({ outpoint }) => ({
      prevout: outpoint,
      script: new Uint8Array(),
      sequence: 0xfffffffd,
      witness: []
    })),
    outputs: [
      ...Array.from({ length: outputs }, () => ({ value, script: PAY_TO_ANCHOR })),
      // So that it is not too small.
      { value: 0n, script: Uint8Array.of(0x6a, 0x04, 0x70, 0x61, 0x64, 0x64) }
    ],
    lockTime: 0
  })
  const txid = transactionId(tx, wireCrypto)
  return {
    txid: hexOf(txid.toReversed()),
    tx,
    hex: hexOf(tx.bytes),
    coins: Array.from({ length: outputs }, (_, vout) => ({ outpoint: { txid, vout }, value }))
  }
}

/** Transactions in an order in which parents come before children. */
export interface Workload {
  /** They stand one after another and are of one length. */
  readonly clusters: number
  readonly transactions: ReadonlyArray<LooseTransaction>
  /** Txids that may leave the mempool again, since another one of the list replaces them. */
  readonly replaceable: ReadonlySet<string>
}

const CHILDREN = 24

/** One cluster: a parent, its children, and grandchildren that join two of those, half of which are replaced. */
const family = (coin: LooseCoin): Workload => {
  const root = spendLoose([coin], CHILDREN, 5_000n)
  const children = root.coins.map((each, i) => spendLoose([each], 1, BigInt(500 + 37 * i)))
  const pairs = children.flatMap(({ coins: [first] }, i) =>
    i % 2 === 0 ? [[first!, children[i + 1]!.coins[0]!] as const] : []
  )
  const joins = pairs.map((pair, i) => spendLoose(pair, 2, BigInt(800 + 11 * i)))
  const better = pairs.flatMap((pair, i) => i % 2 === 0 ? [spendLoose(pair, 2, BigInt(9_000 + i))] : [])
  return {
    clusters: 1,
    transactions: [root, ...children, ...joins, ...better],
    replaceable: new Set(joins.filter((_, i) => i % 2 === 0).map(({ txid }) => txid))
  }
}

/** A cluster for each coin. */
export const workloadOf = (coins: ReadonlyArray<LooseCoin>): Workload => {
  const families = coins.map(family)
  return {
    clusters: families.length,
    transactions: families.flatMap(({ transactions }) => transactions),
    replaceable: new Set(families.flatMap(({ replaceable }) => [...replaceable]))
  }
}
