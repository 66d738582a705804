import type { Height, Sats } from "@lockstep/kernel/quantities"
import type { Block, OutPoint } from "@lockstep/kernel/model"
import { type BlockUndo, type Coin, isUnspendable } from "@lockstep/kernel/utxo"
import { bogoSize } from "@lockstep/kernel/utxo-hash"

/** Amounts that one block moves, in satoshis. */
export interface BlockAmounts {
  readonly prevoutSpent: bigint
  readonly coinbase: bigint
  readonly newOutputsExceptCoinbase: bigint
  readonly genesisBlock: bigint
  readonly bip30: bigint
  readonly scripts: bigint
  readonly unclaimedRewards: bigint
}

/** The change of the running numbers by one block. */
export interface BlockEffect {
  readonly coins: number
  readonly bogoSize: number
  readonly amounts: BlockAmounts
}

/** Facts of the chain that matter besides the block itself. */
export interface BlockSituation {
  readonly height: Height
  readonly subsidy: Sats
  /** True if its coinbase was overwritten later, before it was spent. It is counted as unspendable from the start. */
  readonly isOverwritten: boolean
}

/** Called for every coin that a block creates or spends. */
export interface CoinVisitor {
  readonly created: (outpoint: OutPoint, coin: Coin) => void
  readonly spent: (outpoint: OutPoint, coin: Coin) => void
}

/** Sums the amounts that a block makes unspendable, in satoshis. */
export const unspendableOf = ({ bip30, genesisBlock, scripts, unclaimedRewards }: BlockAmounts): bigint =>
  genesisBlock + bip30 + scripts + unclaimedRewards

const genesisEffect = (subsidy: Sats): BlockEffect => ({
  coins: 0,
  bogoSize: 0,
  amounts: {
    prevoutSpent: 0n,
    coinbase: 0n,
    newOutputsExceptCoinbase: 0n,
    genesisBlock: subsidy,
    bip30: 0n,
    scripts: 0n,
    unclaimedRewards: 0n
  }
})

/**
 * Computes the effect of a block on the coins, as counted by Bitcoin Core's index. The genesis block creates no coin.
 * The part of inputs and subsidy that no output takes is an unclaimed reward:
 *
 * unclaimed = subsidy + spent − created − unspendable
 */
export const blockEffect = (
  block: Block,
  ids: Uint8Array,
  undo: BlockUndo,
  { height, isOverwritten, subsidy }: BlockSituation,
  visitor: CoinVisitor
): BlockEffect => {
  if (height === 0) return genesisEffect(subsidy)
  let [coins, size] = [0, 0]
  let [prevoutSpent, coinbase, newOutputsExceptCoinbase, scripts] = [0n, 0n, 0n, 0n]
  for (const [i, { inputs, outputs }] of block.transactions.entries()) {
    const isCoinbase = i === 0
    if (isCoinbase && isOverwritten) continue
    const txid = ids.subarray(32 * i, 32 * i + 32)
    for (const [vout, { script, value }] of outputs.entries()) {
      if (isUnspendable(script)) {
        scripts += value
        continue
      }
      const coin: Coin = { value, script, height, isCoinbase }
      visitor.created({ txid, vout }, coin)
      if (isCoinbase) coinbase += value
      else newOutputsExceptCoinbase += value
      coins++
      size += bogoSize(coin)
    }
    if (isCoinbase) continue
    for (const [place, { prevout }] of inputs.entries()) {
      const coin = undo.spent[i - 1]![place]!
      visitor.spent(prevout, coin)
      prevoutSpent += coin.value
      coins--
      size -= bogoSize(coin)
    }
  }
  const bip30 = isOverwritten ? subsidy : 0n
  const unclaimedRewards = subsidy + prevoutSpent - newOutputsExceptCoinbase - coinbase - bip30 - scripts
  return {
    coins,
    bogoSize: size,
    amounts: { prevoutSpent, coinbase, newOutputsExceptCoinbase, genesisBlock: 0n, bip30, scripts, unclaimedRewards }
  }
}
