import { checkMerkleRoot, checkWitnessCommitment } from "@lockstep/kernel/block"
import type { Block } from "@lockstep/kernel/model"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { join } from "node:path"
import { CORE_FILES } from "../../storage/block-files/block-files.ts"
import { fileFault } from "../../storage/block-files/file-fault.ts"
import { fileName } from "../../storage/block-files/file-names.ts"
import { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { identified, type IdentifiedBlock } from "../state/identified-block.ts"
import { displayHash } from "../../hex.ts"
import { blockPlace } from "../header-index/block-place.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { blockOf } from "./read-block.ts"
import { asTyped } from "../../typed-command.ts"

/** The error for a block whose bytes on disk do not, or no longer, match its header. */
export const damagedBlock = (node: HeaderIndexNode, file: number | undefined): StorageError => {
  const block = `block ${displayHash(node.hash)} at height ${node.height}`
  if (file === undefined) {
    return new StorageError({
      part: "block-files",
      operation: "read block",
      reason: "missing",
      message: `The ${block} is not on disk. Run ${asTyped("rebuild")}, after which it is fetched again.`
    })
  }
  const isCore = file >= CORE_FILES
  const name = join("blocks", fileName("blk", isCore ? file - CORE_FILES : file))
  return fileFault("blk", name, "read block", `is damaged: it does not hold the ${block} any more`, isCore)
}

/** Loads the block of `node` from memory or from disk. A block from disk is checked against its header, witnesses apart. */
export const loadBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  node: HeaderIndexNode
): Effect.fn.Return<IdentifiedBlock, StorageError> {
  const { crypto, files, recent, tree } = engine
  const held = recent.get(node.index)
  if (held !== undefined) return held
  const place = blockPlace(tree, node)
  if (place === undefined) return yield* damagedBlock(node, undefined)
  const block = blockOf(yield* files.readBlock(place))
  if (block === undefined) return yield* damagedBlock(node, place.file)
  const found = identified(block, crypto)
  const { identity } = found
  if (!bytesEqual(identity.hash, node.hash) || Result.isFailure(checkMerkleRoot(block, identity, crypto))) {
    return yield* damagedBlock(node, place.file)
  }
  return { ...found, isOurs: true }
})

const hasWitnesses = ({ transactions }: Block): boolean => transactions.some(({ hasWitness }) => hasWitness)

/**
 * Reports whether the witnesses of a block from disk match its header's commitment. The rules at its height do not
 * matter: activation heights may have changed since the block was accepted.
 */
export const witnessesAreWhole = ({ crypto }: ChainEngine, { block, identity }: IdentifiedBlock): boolean =>
  Result.isSuccess(checkWitnessCommitment(block, identity, hasWitnesses(block), crypto))

/** Reports whether a block from disk has all the witnesses that its validation needs. */
export const witnessesAreThere = (
  { crypto, parameters }: ChainEngine,
  node: HeaderIndexNode,
  { block, identity }: IdentifiedBlock
): boolean => {
  const expected = hasWitnesses(block) || node.height >= parameters.heights.segwit
  return Result.isSuccess(checkWitnessCommitment(block, identity, expected, crypto))
}
