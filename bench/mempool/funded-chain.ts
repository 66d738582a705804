import { type Crypto, type TransactionOutput } from "../../kernel/src/index.ts"
import { chainBuilder, type ChainEnd, finalTransaction, genesisEnd, inputOf, MATURITY } from "../chain-builder.ts"
import { PAY_TO_ANCHOR, type BenchCoin, coinsOf } from "./transactions.ts"

/** Coins that one coinbase is split into. */
const COINS_AT_ONCE = 5_000

/** A chain, and the coins that it ends with in the order in which they were asked for. */
export interface FundedChain {
  readonly blocks: ReadonlyArray<Uint8Array>
  readonly end: ChainEnd
  readonly coins: ReadonlyArray<BenchCoin>
}

/** A regtest chain whose last blocks make these coins, which are old enough to be spent. */
export const fundedChain = (wanted: ReadonlyArray<TransactionOutput>, crypto: Crypto): FundedChain => {
  const builder = chainBuilder(crypto, PAY_TO_ANCHOR, genesisEnd(crypto))
  const groups = Array.from(
    { length: Math.ceil(wanted.length / COINS_AT_ONCE) },
    (_, i) => wanted.slice(i * COINS_AT_ONCE, (i + 1) * COINS_AT_ONCE)
  )
  const blocks: Array<Uint8Array> = []
  const coinbases: Array<BenchCoin> = []
  const coins: Array<BenchCoin> = []
  for (let height = 1; height <= MATURITY + groups.length; height++) {
    const group = groups[height - MATURITY - 1]
    const old = coinbases[height - MATURITY - 1]!
    const split = group === undefined ? [] : [finalTransaction([inputOf(old.txid, old.vout)], group)]
    const { bytes, coinbase } = builder.add(split)
    blocks.push(bytes)
    coinbases.push(coinsOf(coinbase, crypto)[0]!)
    for (const tx of split) coins.push(...coinsOf(tx, crypto))
  }
  return { blocks, end: builder.end(), coins }
}
