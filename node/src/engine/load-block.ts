import { checkMerkleRoot } from "@lockstep/kernel/block/merkle-commitment.ts"
import { checkWitnessCommitment } from "@lockstep/kernel/block/witness-commitment.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { join } from "node:path"
import { REFERENCE_FILES } from "../storage/block-files/block-files.ts"
import { fileFault } from "../storage/block-files/file-fault.ts"
import { fileName } from "../storage/block-files/file-names.ts"
import { StorageError } from "../storage/storage-error.ts"
import { type ChainEngine, type IdentifiedBlock, identified } from "./chain-engine.ts"
import { displayHash } from "./display-hash.ts"
import { blockPlace } from "./header-tree/block-place.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { blockOf } from "./read-block.ts"

/** A block whose bytes on disk are not, or no longer, what its header commits to. */
export const damagedBlock = (node: TreeNode, file: number | undefined): StorageError => {
  const block = `block ${displayHash(node.hash)} at height ${node.height}`
  if (file === undefined) {
    return new StorageError({
      part: "block-files",
      operation: "read block",
      reason: "missing",
      message: `The ${block} is not on disk. Run \`node rebuild\`, after which it is fetched again.`
    })
  }
  const isReference = file >= REFERENCE_FILES
  const name = join("blocks", fileName("blk", isReference ? file - REFERENCE_FILES : file))
  return fileFault("blk", name, "read block", `is damaged: it does not hold the ${block} any more`, isReference)
}

/** The block of `node`, as it arrived or from disk. What comes from disk is what the header commits to, witnesses apart. */
export const loadBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  node: TreeNode
): Effect.fn.Return<IdentifiedBlock, StorageError> {
  const { crypto, files, recent, tree } = engine
  const held = recent.get(node.index)
  if (held !== undefined) return held
  const place = blockPlace(tree, node)
  if (place === undefined) return yield* damagedBlock(node, undefined)
  const block = blockOf(yield* files.readBlock(place))
  if (block === undefined) return yield* damagedBlock(node, place.file)
  const found = identified(block, crypto)
  const { hash, transactionIds } = found.identity
  if (!bytesEqual(hash, node.hash) || Result.isFailure(checkMerkleRoot(block, transactionIds, crypto))) {
    return yield* damagedBlock(node, place.file)
  }
  return { ...found, isOurs: true }
})

/** Whether the witnesses of a block that was read from disk are still those its header commits to. */
export const witnessesAreWhole = ({ crypto, parameters }: ChainEngine, node: TreeNode, block: Block): boolean =>
  Result.isSuccess(checkWitnessCommitment(block, node.height >= parameters.heights.segwit, crypto))
