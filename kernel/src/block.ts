/** Rules of a block alone, and on top of its parent. */
export { checkBlock, checkBlockInContext, checkBody, checkContents } from "./block/check-block.ts"
export { checkMerkleRoot, merkleRootCommits } from "./block/merkle-commitment.ts"
export { merkleRoot } from "./block/merkle.ts"
export { blockIsMutated } from "./block/mutated.ts"
export { checkWitnessCommitment, witnessCommitmentIndex } from "./block/witness-commitment.ts"
