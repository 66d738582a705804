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

/**
 * The bytes are not what the header commits to, and no single commitment says so: its transactions may be nodes of the
 * merkle tree.
 */
const MUTATED: Rejection = { reason: "mutated block", class: "mutated", rule: "BLK-018" }

const HEADER_BYTES = 80

/** Blocks of the tip's work that a chain may be behind the tip and still be worth a look. */
const WORK_MARGIN_BLOCKS = 144n

/**
 * A block that arrived, and its entry once it is stored. It omits the block itself, which a peer that waits for room
 * would hold in memory.
 */
export interface NewBlockOutcome {
  readonly answer: AcceptedBlock
  readonly stored: { readonly node: HeaderIndexNode; readonly bytes: number; readonly inputs: number } | undefined
}

const notStored = (hash: Uint8Array, rejection?: Rejection): NewBlockOutcome => ({
  answer: { hash: hash.slice(), isNew: false, rejection },
  stored: undefined
})

/** Bytes that are no block are ignored. */
const notDecoded = (engine: ChainEngine, bytes: Uint8Array): NewBlockOutcome => {
  const hash = engine.crypto.sha256d(bytes.subarray(0, HEADER_BYTES))
  const decoded = decodeBlock(bytes)
  if (Result.isFailure(decoded)) {
    notifyRefused(engine, hash, { what: "bytes", bytes: bytes.length, fault: decoded.failure })
  }
  return notStored(hash)
}

/** Whether an unknown header has too little work behind it to be kept: such headers cost nothing to make. */
const isCheap = ({ network, tree }: ChainEngine, { block, identity }: IdentifiedBlock): boolean => {
  const parent = nodeOf(tree, block.header.previous)
  if (parent === undefined || nodeOf(tree, identity.hash) !== undefined) return false
  const work = parent.chainWork + blockWork(block.header.bits)
  const { chainWork, header } = tree.tip
  return work < chainWork - blockWork(header.bits) * WORK_MARGIN_BLOCKS || work < network.minimumChainWork
}

/** Whether to keep an unrequested block: it may be the next tip, is not far ahead, and was not pruned. */
const wantedUnasked = ({ network, tree }: ChainEngine): Wanted => (node) => {
  const { tip } = tree
  return tree.columns.transactions[node.index] === 0 && node.chainWork >= tip.chainWork &&
    node.height <= tip.height + MOST_AHEAD && node.chainWork >= network.minimumChainWork
}

/** Which commitment the bytes do not keep, in the order in which {@link blockIsMutated} asks. */
const brokenCommitment = ({ block, identity }: IdentifiedBlock, witnesses: boolean, crypto: Crypto): Rejection => {
  const merkle = checkMerkleRoot(block, identity, crypto)
  if (Result.isFailure(merkle)) return rejectionOf(merkle.failure)
  const first = block.transactions[0]
  if (first === undefined || !isCoinbase(first)) return MUTATED
  const witness = checkWitnessCommitment(block, identity, witnesses, crypto)
  return Result.isFailure(witness) ? rejectionOf(witness.failure) : MUTATED
}

/** Why the bytes do not match the header: the sender made them up, or relays what another node made up. */
const mutationOf = ({ crypto, parameters, tree }: ChainEngine, found: IdentifiedBlock): Rejection | undefined => {
  const { block, identity } = found
  const parent = nodeOf(tree, block.header.previous)
  if (parent === undefined) return undefined
  const witnesses = parent.height + 1 >= parameters.heights.segwit
  return blockIsMutated(block, identity, witnesses, crypto)
    ? brokenCommitment(found, witnesses, crypto)
    : undefined
}

/** The bytes of a block, and the ids of its transactions as far as they are known. */
export interface ArrivedBlock {
  readonly bytes: Uint8Array
  readonly known?: KnownIds | undefined
}

/**
 * Accepts a block from a peer, as Bitcoin Core does. A block that does not match its header is rejected first. An
 * unrequested block is stored only if it may matter. Bytes that are no block at all are ignored. They are the engine's
 * from now on.
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
