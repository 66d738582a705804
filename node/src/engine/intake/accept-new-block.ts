import { blockIsMutated, checkMerkleRoot, checkWitnessCommitment } from "@lockstep/kernel/block"
import type { Crypto } from "@lockstep/kernel/crypto"
import { decodeBlock, isCoinbase } from "@lockstep/kernel/model"
import { blockWork } from "@lockstep/kernel/work"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import type { KnownIds } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import { acceptBlock, type Wanted } from "../validation/accept-block.ts"
import type { AcceptedBlock } from "../api/network-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { type IdentifiedBlock, identifiedWithRoots } from "../state/identified-block.ts"
import { inputCount } from "../validation/connect-events.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { MOST_AHEAD } from "../options/limits.ts"
import { notifyRefused } from "../notify/notify-refused.ts"
import { blockAtStart } from "../validation/read-block.ts"

/** The bytes do not match the header, but no single commitment shows it: the transactions may be nodes of the merkle tree. */
const MUTATED: Rejection = { reason: "mutated block", class: "mutated", rule: "BLK-018" }

const HEADER_BYTES = 80

/** Blocks of the tip's work by which a chain may be behind the tip and still be stored. */
const WORK_MARGIN_BLOCKS = 144n

/**
 * Result for a block that arrived, with its entry once it is stored. It omits the block itself, because a peer that
 * waits would otherwise keep it in memory.
 */
export interface NewBlockOutcome {
  readonly answer: AcceptedBlock
  readonly stored: { readonly node: HeaderIndexNode; readonly bytes: number; readonly inputs: number } | undefined
}

const notStored = (hash: Uint8Array, rejection?: Rejection): NewBlockOutcome => ({
  answer: { hash: hash.slice(), isNew: false, rejection },
  stored: undefined
})

/** Ignores bytes that cannot be decoded as a block. */
const notDecoded = (engine: ChainEngine, bytes: Uint8Array): NewBlockOutcome => {
  const hash = engine.crypto.sha256d(bytes.subarray(0, HEADER_BYTES))
  const decoded = decodeBlock(bytes)
  if (Result.isFailure(decoded)) {
    notifyRefused(engine, hash, { what: "bytes", bytes: bytes.length, fault: decoded.failure })
  }
  return notStored(hash)
}

/** Reports whether an unknown header has too little chain work to be kept: such headers cost nothing to make. */
const isCheap = ({ network, tree }: ChainEngine, { block, identity }: IdentifiedBlock): boolean => {
  const parent = nodeOf(tree, block.header.previous)
  if (parent === undefined || nodeOf(tree, identity.hash) !== undefined) return false
  const work = parent.chainWork + blockWork(block.header.bits)
  const { chainWork, header } = tree.tip
  return work < chainWork - blockWork(header.bits) * WORK_MARGIN_BLOCKS || work < network.minimumChainWork
}

/** Decides whether to keep an unrequested block: it may be the next tip, is not far ahead, and was not pruned. */
const wantedUnasked = ({ network, tree }: ChainEngine): Wanted => (node) => {
  const { tip } = tree
  return tree.columns.transactions[node.index] === 0 && node.chainWork >= tip.chainWork &&
    node.height <= tip.height + MOST_AHEAD && node.chainWork >= network.minimumChainWork
}

/** Returns the commitment that the bytes break, checked in the order of {@link blockIsMutated}. */
const brokenCommitment = ({ block, identity }: IdentifiedBlock, witnesses: boolean, crypto: Crypto): Rejection => {
  const merkle = checkMerkleRoot(block, identity, crypto)
  if (Result.isFailure(merkle)) return rejectionOf(merkle.failure)
  const first = block.transactions[0]
  if (first === undefined || !isCoinbase(first)) return MUTATED
  const witness = checkWitnessCommitment(block, identity, witnesses, crypto)
  return Result.isFailure(witness) ? rejectionOf(witness.failure) : MUTATED
}

/** Returns the reason why the bytes do not match the header: the sender forged them, or relays a forgery. */
const mutationOf = ({ crypto, parameters, tree }: ChainEngine, found: IdentifiedBlock): Rejection | undefined => {
  const { block, identity } = found
  const parent = nodeOf(tree, block.header.previous)
  if (parent === undefined) return undefined
  const witnesses = parent.height + 1 >= parameters.heights.segwit
  return blockIsMutated(block, identity, witnesses, crypto)
    ? brokenCommitment(found, witnesses, crypto)
    : undefined
}

/** The bytes of a block, and the ids of its transactions if they are known. */
export interface ArrivedBlock {
  readonly bytes: Uint8Array
  readonly known?: KnownIds | undefined
}

/**
 * Accepts a block from a peer, as Bitcoin Core does. A block that does not match its header is rejected first. An
 * unrequested block is stored only if it may matter. Bytes that cannot be decoded are ignored. The function takes
 * ownership of the bytes.
 */
export const acceptNewBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { bytes, known }: ArrivedBlock,
  requested: boolean
): Effect.fn.Return<NewBlockOutcome, StorageError> {
  const block = blockAtStart(bytes)
  if (block === undefined) return notDecoded(engine, bytes)
  const found: IdentifiedBlock = { ...identifiedWithRoots(block, engine.crypto, known), isOurs: true }
  const { hash } = found.identity
  const mutation = mutationOf(engine, found)
  if (mutation !== undefined) {
    notifyRefused(engine, hash, { what: "block", rejection: mutation })
    return notStored(hash, mutation)
  }
  if (isCheap(engine, found)) {
    notifyRefused(engine, hash, { what: "too little work" })
    return notStored(hash)
  }
  const verdict = yield* acceptBlock(engine, found, undefined, requested ? undefined : wantedUnasked(engine))
  if (Result.isFailure(verdict)) return notStored(hash, verdict.failure)
  const { isNew, node } = verdict.success
  return isNew
    ? {
      answer: { hash: hash.slice(), isNew, rejection: undefined },
      stored: { node, bytes: block.bytes.length, inputs: inputCount(block) }
    }
    : notStored(hash)
})
