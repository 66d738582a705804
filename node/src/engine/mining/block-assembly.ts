import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import { merkleRoot } from "@lockstep/kernel/block"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { blockSubsidy } from "@lockstep/kernel/connect"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import { type HeaderNode, medianTimePast } from "@lockstep/kernel/chain"
import {
  type Block,
  blockHash,
  headerOf,
  type Transaction,
  transactionId,
  transactionOf,
  type TransactionOutput,
  witnessTransactionId
} from "@lockstep/kernel/model"
import { encodeScriptNumber } from "@lockstep/kernel/interpreter"
import { Opcode } from "@lockstep/kernel/script"
import { requiredBits, retargetInterval } from "@lockstep/kernel/header"
import { MAX_TIMEWARP } from "@lockstep/kernel/constants"
import type { IdentifiedBlock } from "../state/identified-block.ts"
import { blockOf } from "../validation/read-block.ts"

/** The content of a block besides its position in the chain. */
export interface BlockContents {
  /** The script that the coinbase pays to. */
  readonly script: Uint8Array
  readonly transactions: ReadonlyArray<Transaction>
  readonly fees: bigint
  readonly now: UnixSeconds
  /** Version bits that signal for deployments. */
  readonly version: number
}

/** The same for transactions with known ids, which need not be decoded. */
export interface IdentifiedContents extends Omit<BlockContents, "transactions"> {
  readonly transactions: ReadonlyArray<Pick<Transaction, "bytes">>
  readonly ids: TransactionIds
}

/** Ids in wire order, concatenated, 32 bytes each. */
export interface TransactionIds {
  readonly txids: Uint8Array
  readonly wtxids: Uint8Array
}

const NO_OUTPUT = { txid: new Uint8Array(32), vout: 0xffffffff }
/** Index of the output that commits to the witnesses, if the block has one. */
export const COMMITMENT_OUTPUT = 1
const WITNESS_NONCE = new Uint8Array(32)
/** OP_RETURN, a push of 36 bytes, and the four bytes that mark a commitment. */
const COMMITMENT_PREFIX = Uint8Array.of(0x6a, 36, 0xaa, 0x21, 0xa9, 0xed)
/** One less than a final sequence, so that the lock time below the height applies. */
const SEQUENCE = 0xfffffffe

/**
 * Encodes the height (at least 1) as the first instruction. If that is a single byte, a second one follows, because a
 * coinbase script has at least two bytes.
 */
const heightScript = (height: Height): Uint8Array => {
  if (height <= 16) return Uint8Array.of(Opcode.OP_1 + height - 1, Opcode.OP_0)
  const number = encodeScriptNumber(height)
  return concatBytes([Uint8Array.of(number.length), number])
}

const coinbaseOf = (height: Height, outputs: ReadonlyArray<TransactionOutput>, hasWitness: boolean): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{
      prevout: NO_OUTPUT,
      script: heightScript(height),
      sequence: SEQUENCE,
      witness: hasWitness ? [WITNESS_NONCE] : []
    }],
    outputs,
    lockTime: height - 1
  })

const ZERO_ID = new Uint8Array(32)

/** Computes the ids of these transactions. */
export const idsOf = (transactions: ReadonlyArray<Transaction>, crypto: Crypto): TransactionIds => ({
  txids: concatBytes(transactions.map((tx) => transactionId(tx, crypto))),
  wtxids: concatBytes(transactions.map((tx) => witnessTransactionId(tx, crypto)))
})

/** The script that commits to the witness merkle root. */
const witnessCommitment = (root: Uint8Array, crypto: Crypto): Uint8Array =>
  concatBytes([COMMITMENT_PREFIX, crypto.sha256d(concatBytes([root, WITNESS_NONCE]))])

/** Returns the earliest valid time, or now if that is later. */
const timeOn = (parent: HeaderNode, now: UnixSeconds, { work }: ChainParameters): number => {
  const opensPeriod = (parent.height + 1) % retargetInterval(work) === 0
  const earliest = Math.max(medianTimePast(parent) + 1, opensPeriod ? parent.header.time - MAX_TIMEWARP : 0)
  return Math.max(earliest, now)
}

const headerBytes = (
  parent: HeaderNode,
  root: Uint8Array,
  { now, version }: Pick<BlockContents, "now" | "version">,
  parameters: ChainParameters
): Uint8Array => {
  const time = timeOn(parent, now, parameters)
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, version, true)
  bytes.set(parent.hash, 4)
  bytes.set(root, 36)
  view.setUint32(68, time, true)
  view.setUint32(72, requiredBits(parent, time, parameters.work), true)
  return bytes
}

/** {@link assembleBlock} for transactions with known ids, with the values that it computes on the way. */
export const assembleIdentified = (
  parent: HeaderNode,
  contents: IdentifiedContents,
  parameters: ChainParameters,
  crypto: Crypto
): IdentifiedBlock => {
  const { fees, ids: { txids, wtxids }, script, transactions: others } = contents
  const height = parent.height + 1
  const hasWitness = height >= parameters.heights.segwit
  const reward = { value: blockSubsidy(height, parameters.subsidyHalvingInterval) + fees, script }
  // Before segwit the output has no meaning, but blocks of Bitcoin Core contain it all the same.
  const witnessIds = concatBytes([ZERO_ID, wtxids])
  const witnessRoot = merkleRoot(witnessIds, crypto)
  const commitment = { value: 0n, script: witnessCommitment(witnessRoot.root, crypto) }
  const coinbase = coinbaseOf(height, [reward, commitment], hasWitness)
  const transactionIds = concatBytes([transactionId(coinbase, crypto), txids])
  const computedRoot = merkleRoot(transactionIds, crypto)
  const header = headerBytes(parent, computedRoot.root, contents, parameters)
  const parts = [header, encodeCompactSize(others.length + 1), coinbase.bytes]
  const block = blockOf(concatBytes([...parts, ...others.map(({ bytes }) => bytes)]))!
  const identity = { hash: blockHash(block.header, crypto), transactionIds, merkleRoot: computedRoot, witnessRoot }
  return { block, identity, witnessIds }
}

/** Makes a block on top of `parent` that is valid except for its proof of work. */
export const assembleBlock = (
  parent: HeaderNode,
  contents: BlockContents,
  parameters: ChainParameters,
  crypto: Crypto
): Block => {
  const identifiedContents = { ...contents, ids: idsOf(contents.transactions, crypto) }
  return assembleIdentified(parent, identifiedContents, parameters, crypto).block
}

/** Returns `block` with another nonce, written into its own bytes. */
export const setNonce = (block: Block, nonce: number): Block => {
  new DataView(block.bytes.buffer, block.bytes.byteOffset).setUint32(76, nonce, true)
  return { ...block, header: headerOf(block.bytes.subarray(0, 80)) }
}
