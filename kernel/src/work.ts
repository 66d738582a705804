/** Targets and proof of work. */
export { blockWork } from "./work/block-work.ts"
export { compactTarget, expandTarget } from "./work/compact-target.ts"
export { hashNumber, proofOfWork } from "./work/proof-of-work.ts"
