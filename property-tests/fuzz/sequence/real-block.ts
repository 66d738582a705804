import { type NaiveBlock, parseBlock, serializeBlock } from "../../src/oracles/block.ts"
import { blockSubsidy, valueOut } from "../../src/oracles/coins.ts"
import { collectBlock } from "../../src/oracles/connect.ts"
import { medianTimePast, readHeader, requiredBits } from "../../src/oracles/header.ts"
import { merkleRoot } from "../../src/oracles/merkle.ts"
import { isCoinbase } from "../../src/oracles/sigops.ts"
import { type NaiveTransaction, transactionId } from "../../src/oracles/transaction.ts"
import { connectionOf, type NaiveEntry } from "../../src/sequence/naive-node.ts"
import { DAMAGES } from "./damage.ts"
import type { Draft } from "./draft.ts"
import { commit } from "./finish.ts"
import { REAL_CHANGES } from "./real-change.ts"
import type { RealStep } from "./real-plan.ts"
import { realHeader, type RealStart } from "./real-start.ts"

/** How many kinds of changes there are. */
export const CHANGE_KINDS = DAMAGES.length + REAL_CHANGES.length

/** Blocks on both sides that a change may take from. */
const REACH = 4

type Transactions = ReadonlyArray<NaiveTransaction>

const timeOf = (real: number, parent: NaiveEntry, now: number, shift: number): number => {
  const median = medianTimePast(parent.chain)
  const times = [
    real,
    real + 1,
    real - 1,
    real + 600,
    real - 600,
    real + 7_200,
    median + 1,
    median,
    now + 7_200,
    now + 7_201
  ]
  return times[shift] ?? parent.chain.at(-1)!.time + (shift === 10 ? 1_201 : 1)
}

const draftOf = (source: NaiveBlock, parent: NaiveEntry, start: RealStart, shift: number): Draft => {
  const { naive, network } = start
  const real = readHeader(source.header)
  const time = Math.max(0, timeOf(real.time, parent, naive.now, shift))
  const bits = requiredBits(parent.chain, time, naive.parameters.work)
  return {
    parent,
    parameters: naive.parameters,
    now: naive.now,
    height: parent.chain.length,
    coins: new Map(connectionOf(parent, naive.parameters).coins),
    header: { version: Math.max(real.version, network.version), previous: parent.hashes.at(-1)!, time, bits },
    coinbase: source.transactions[0]!,
    transactions: source.transactions.slice(1),
    commitment: "kept",
    after: (transactions) => transactions
  }
}

const sourceAt = (blocks: ReadonlyArray<NaiveBlock>, height: number): NaiveBlock =>
  blocks[Math.min(height, blocks.length - 1)]!

/** What the first output of the coinbase must be worth to claim all there is; negative: there is not so much. */
const claim = ({ coins, parameters, parent }: Draft, transactions: Transactions): bigint => {
  const block = { header: new Uint8Array(80), transactions }
  const { fees } = collectBlock(block, { chain: parent.chain, hashes: parent.hashes, parameters }, coins)
  const [coinbase] = transactions
  const others = valueOut(coinbase!) - (coinbase!.outputs[0]?.value ?? 0n)
  return blockSubsidy(parent.chain.length, parameters.subsidyHalvingInterval) + fees - others
}

const fitted = (draft: Draft, transactions: Transactions): Transactions => {
  const [coinbase, ...others] = transactions
  // Fees are known only of what comes after a coinbase.
  if (!isCoinbase(coinbase!)) return transactions
  const value = claim(draft, transactions)
  if (value < 0n) return transactions
  return [
    { ...coinbase!, outputs: coinbase!.outputs.map((output, i) => (i === 0 ? { ...output, value } : output)) },
    ...others
  ]
}

/** The block with one bit of its transactions turned; where nothing decodes any more, the bytes alone. */
const flipped = (block: NaiveBlock, flip: number): NaiveBlock | Uint8Array => {
  const bytes = Uint8Array.from(serializeBlock(block))
  const at = (flip * 2_654_435_761) % ((bytes.length - 81) * 8)
  const place = 81 + Math.floor(at / 8)
  bytes[place] = bytes[place]! ^ (1 << at % 8)
  const parsed = parseBlock(bytes)
  return typeof parsed === "string" ? bytes : parsed
}

/** The block of a step on `parent`, or bytes of which no block can be made. */
export const realBlock = (step: RealStep, parent: NaiveEntry, start: RealStart): NaiveBlock | Uint8Array => {
  const { blocks, network } = start
  const height = parent.chain.length
  const own = sourceAt(blocks, height)
  const [, ...others] = sourceAt(blocks, height + step.above).transactions
  const source = step.above === 0 ? own : { ...own, transactions: [own.transactions[0]!, ...others] }
  const draft = draftOf(source, parent, start, step.time)
  const around = blocks.slice(Math.max(1, height - REACH), height + REACH + 1)
  for (const { how, kind } of step.changes) {
    if (kind < DAMAGES.length) DAMAGES[kind]!(draft, how)
    else REAL_CHANGES[kind - DAMAGES.length]!(draft, how, around)
  }
  const isChanged = step.changes.length > 0 || step.above > 0
  const listed = [draft.coinbase, ...draft.transactions]
  const claimed = step.fits && isChanged ? fitted(draft, listed) : listed
  const commitment = draft.commitment === "kept" && isChanged && step.mended ? "renewed" : draft.commitment
  const transactions = commit(claimed, commitment)
  const real = readHeader(source.header)
  const root = step.mended || network.minable ? merkleRoot(transactions.map(transactionId)).root : real.merkleRoot
  const underHeader = (under: Uint8Array, of: Transactions): NaiveBlock => ({
    header: realHeader(real, { ...draft.header, merkleRoot: under }, network.minable),
    transactions: of
  })
  const block = underHeader(root, draft.after(transactions))
  if (step.flip < 0) return block
  const turned = flipped(block, step.flip)
  if (turned instanceof Uint8Array || !step.mended) return turned
  const mended = commit(turned.transactions, "renewed")
  return underHeader(merkleRoot(mended.map(transactionId)).root, mended)
}
