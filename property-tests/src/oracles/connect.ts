import { type NaiveBlock, blockHash } from "./block.ts"
import { firstOf } from "./check-block.ts"
import {
  applyTransaction,
  blockSubsidy,
  checkInputs,
  createdCoins,
  locksHaveRunOut,
  type NaiveCoin,
  type NaiveCoins,
  outPointKey,
  prevoutKey,
  sameCoin,
  valueOut
} from "./coins.ts"
import { blockScriptFlags, forbidsOverwriting, type NaiveParameters } from "./deployments.ts"
import type { NaiveChain } from "./header.ts"
import { sigOpCost } from "./sigops.ts"
import { type NaiveTransaction, transactionId } from "./transaction.ts"
import { verifyScript } from "./verify-script.ts"

const MAX_MONEY = 2_100_000_000_000_000n

export interface NaiveJob {
  readonly tx: NaiveTransaction
  readonly coins: ReadonlyArray<NaiveCoin>
  readonly flags: ReadonlySet<string>
}

/** What it takes to go back: what each transaction but the first spent, and what was overwritten. */
export interface NaiveUndo {
  readonly spent: ReadonlyArray<ReadonlyArray<NaiveCoin>>
  readonly replaced: ReadonlyArray<readonly [key: string, coin: NaiveCoin]>
}

/**
 * A block connected but for its scripts. `rule` is the first that it breaks, or `OK`; `coins` are those at that point.
 */
export interface NaiveConnection {
  readonly rule: string
  readonly jobs: ReadonlyArray<NaiveJob>
  readonly coins: NaiveCoins
  readonly undo: NaiveUndo
  readonly fees: bigint
  readonly sigOpCost: number
}

/** BIP30: an output of the block is there already. */
export const overwrites = ({ transactions }: NaiveBlock, coins: NaiveCoins): boolean =>
  transactions.some((tx) => tx.outputs.some((_, vout) => coins.has(outPointKey(transactionId(tx), vout))))

/** The block that goes on top of some chain, and the hashes of that chain's blocks. */
export interface NaivePlace {
  readonly chain: NaiveChain
  readonly hashes: ReadonlyArray<Uint8Array>
  readonly parameters: NaiveParameters
}

interface State extends NaiveConnection {
  readonly place: NaivePlace
  readonly flags: ReadonlySet<string>
}

/** What a transaction that is no coinbase does to the fees, or the rule that it breaks. */
const spend = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveCoin | undefined>, state: State): string | bigint => {
  const { chain, parameters } = state.place
  if (coins.includes(undefined)) return "TXI-001"
  const found = coins as ReadonlyArray<NaiveCoin>
  const fee = checkInputs(tx, found, chain.length)
  if (typeof fee === "string") return fee
  const fees = state.fees + fee
  if (fees > MAX_MONEY) return "UTX-006"
  return chain.length < parameters.heights.csv || locksHaveRunOut(tx, found, chain) ? fees : "TXI-008"
}

const connectTransaction = (state: State, tx: NaiveTransaction, isFirst: boolean): State => {
  const found = isFirst ? [] : tx.inputs.map((input) => state.coins.get(prevoutKey(input)))
  const fees = isFirst ? state.fees : spend(tx, found, state)
  if (typeof fees === "string") return { ...state, rule: fees }
  const coins = found as ReadonlyArray<NaiveCoin>
  const cost = state.sigOpCost + sigOpCost(tx, coins, state.flags)
  if (cost > 80_000) return { ...state, fees, sigOpCost: cost, rule: "UTX-007" }
  const after = applyTransaction(state.coins, tx, transactionId(tx), state.place.chain.length, isFirst)
  const { spent, replaced } = state.undo
  return {
    ...state,
    fees,
    sigOpCost: cost,
    coins: after.coins,
    jobs: isFirst ? state.jobs : [...state.jobs, { tx, coins, flags: state.flags }],
    undo: { spent: isFirst ? spent : [...spent, coins], replaced: [...replaced, ...after.replaced] }
  }
}

/** Everything about a block but its scripts, on top of the chain and the coins it left. */
export const collectBlock = (block: NaiveBlock, place: NaivePlace, coins: NaiveCoins): NaiveConnection => {
  const { chain, hashes, parameters } = place
  const hash = blockHash(block)
  const flags = blockScriptFlags(hash, chain.length, parameters)
  let state: State = {
    rule: "OK",
    jobs: [],
    coins,
    undo: { spent: [], replaced: [] },
    fees: 0n,
    sigOpCost: 0,
    place,
    flags
  }
  if (forbidsOverwriting([...hashes, hash], parameters) && overwrites(block, coins)) {
    return { ...state, rule: "UTX-005" }
  }
  for (const [i, tx] of block.transactions.entries()) {
    state = connectTransaction(state, tx, i === 0)
    if (state.rule !== "OK") return state
  }
  const limit = blockSubsidy(chain.length, parameters.subsidyHalvingInterval) + state.fees
  return valueOut(block.transactions[0]!) <= limit ? state : { ...state, rule: "UTX-008" }
}

/** The first input of a transaction that does not hold: its rule, or `OK`. */
export const judgeScripts = ({ tx, coins, flags }: NaiveJob): string =>
  firstOf(...tx.inputs.map((_, index) => () => verifyScript({ tx, index, spent: coins, flags }).split(" ")[0]!))

/** The verdict on a block with its scripts: a script that fails comes before what else was found. */
export const concluded = ({ rule, jobs }: NaiveConnection): string =>
  firstOf(...jobs.map((job) => () => judgeScripts(job)), () => rule)

/** The coins before the block of `height`, or undefined where block, undo data and coins do not belong together. */
export const disconnectBlock = (
  block: NaiveBlock,
  height: number,
  undo: NaiveUndo,
  coins: NaiveCoins
): NaiveCoins | undefined => {
  const left = new Map(coins)
  const { transactions } = block
  if (undo.spent.length !== transactions.length - 1) return undefined
  for (const [i, tx] of [...transactions.entries()].toReversed()) {
    const created = createdCoins(tx, transactionId(tx), height, i === 0)
    if (!created.every(([key, coin]) => sameCoin(left.get(key), coin))) return undefined
    for (const [key] of created) left.delete(key)
    if (i === 0) break
    const spent = undo.spent[i - 1]!
    const keys = tx.inputs.map(prevoutKey)
    if (spent.length !== keys.length || keys.some((key) => left.has(key))) return undefined
    for (const [j, key] of keys.entries()) left.set(key, spent[j]!)
  }
  for (const [key, coin] of undo.replaced) left.set(key, coin)
  return left
}
