import type { BlockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import { type Header, headerOf } from "@lockstep/kernel/internal/model/header.ts"
import type { OutPoint } from "@lockstep/kernel/internal/model/transaction.ts"
import type { Coin, PlacedCoin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import type { Overlay } from "@lockstep/kernel/internal/utxo/overlay.ts"
import type { BlockUndo } from "@lockstep/kernel/internal/utxo/undo.ts"
import { blockHash, type NaiveBlock, serializeBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { type NaiveCoin, type NaiveCoins, outPointKey } from "../oracles/coins.ts"
import type { NaiveUndo } from "../oracles/connect.ts"
import type { NaiveParameters } from "../oracles/deployments.ts"
import { sha256d } from "../oracles/hash.ts"
import { type NaiveChain, type NaiveHeader, serializeHeader } from "../oracles/header.ts"
import { merkleRoot } from "../oracles/merkle.ts"
import { outPointOf } from "../oracles/set-hash.ts"
import { transactionId, witnessTransactionId } from "../oracles/transaction.ts"
import { flagBits, kernelTransaction } from "./kernel.ts"

export const kernelHeader = (header: NaiveHeader): Header => headerOf(serializeHeader(header))

/** The node of `header` on top of `parent`, under the hash that it has. */
export const kernelChild = (parent: HeaderNode | undefined, header: NaiveHeader): HeaderNode =>
  childOf(parent, kernelHeader(header), sha256d(serializeHeader(header)))

/** Nodes made before, by parent and header: many tests start from the same few chains. */
const made = new WeakMap<object, WeakMap<NaiveHeader, HeaderNode>>()
const NO_PARENT = {}

const knownChild = (parent: HeaderNode | undefined, header: NaiveHeader): HeaderNode => {
  const children = made.get(parent ?? NO_PARENT) ?? new WeakMap<NaiveHeader, HeaderNode>()
  made.set(parent ?? NO_PARENT, children)
  const node = children.get(header) ?? kernelChild(parent, header)
  children.set(header, node)
  return node
}

/** The node of the last header of a chain. Precondition: there is one. */
export const kernelChain = (chain: NaiveChain): HeaderNode =>
  chain.reduce<HeaderNode | undefined>((parent, header) => knownChild(parent, header), undefined)!

export const kernelParameters = (parameters: NaiveParameters): ChainParameters => ({
  ...parameters,
  scriptFlagExceptions: parameters.scriptFlagExceptions.map(({ hash, flags }) => ({ hash, flags: flagBits(flags) }))
})

export const kernelBlock = (block: NaiveBlock): Block => ({
  bytes: serializeBlock(block),
  header: headerOf(block.header),
  transactions: block.transactions.map(kernelTransaction)
})

export const kernelIds = (block: NaiveBlock): Uint8Array => join(...block.transactions.map(transactionId))

export const kernelIdentity = (block: NaiveBlock): BlockIdentity => ({
  hash: blockHash(block),
  transactionIds: kernelIds(block)
})

/** The same with the roots that a caller may have computed before. */
export const kernelIdentityWithRoots = (block: NaiveBlock): BlockIdentity => ({
  ...kernelIdentity(block),
  merkleRoot: merkleRoot(block.transactions.map(transactionId)),
  witnessRoot: merkleRoot(block.transactions.map((tx, i) => i === 0 ? new Uint8Array(32) : witnessTransactionId(tx)))
})

const keyOf = ({ txid, vout }: OutPoint): string => outPointKey(txid, vout)

/** A view of `coins`; `asked` is called for every look-up. */
export const kernelView = (coins: NaiveCoins, asked?: (key: string) => void): UtxoView => ({
  coinAt: (outpoint) => {
    asked?.(keyOf(outpoint))
    return coins.get(keyOf(outpoint))
  }
})

export const placedCoin = ([key, coin]: readonly [string, NaiveCoin]): PlacedCoin => ({
  outpoint: outPointOf(key),
  coin
})

export const kernelUndo = ({ spent, replaced }: NaiveUndo): BlockUndo => ({ spent, replaced: replaced.map(placedCoin) })

/** A kernel's undo data as the oracle has them. */
export const naiveUndo = ({ spent, replaced }: BlockUndo): NaiveUndo => ({
  spent: spent as ReadonlyArray<ReadonlyArray<NaiveCoin>>,
  replaced: replaced.map(({ coin, outpoint }) => [keyOf(outpoint), coin])
})

/** What an overlay changes, in the order in which it was changed first. */
export const changesOf = ({
  changes
}: Overlay): ReadonlyArray<readonly [key: string, before: Coin | undefined, after: Coin | undefined]> =>
  changes.outpoints.map((outpoint, i) => [keyOf(outpoint), changes.values[i]!.before, changes.values[i]!.after])

/** `coins` after what an overlay on them changes. */
export const withChanges = (coins: NaiveCoins, overlay: Overlay): NaiveCoins => {
  const changed = new Map(coins)
  for (const [key, , after] of changesOf(overlay)) {
    if (after === undefined) changed.delete(key)
    else changed.set(key, after)
  }
  return changed
}

/** Coins in an order of their own, to be compared. */
export const inOrder = (coins: NaiveCoins): ReadonlyArray<readonly [string, NaiveCoin]> =>
  [...coins].toSorted(([a], [b]) => (a < b ? -1 : 1))
