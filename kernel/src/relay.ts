/** Relay policy beyond scripts: which transactions the mempool accepts. Never applied to a block. */
export {
  type Admission,
  type Appraisal,
  appraise,
  checkAppraisal,
  checkBeforeCoins,
  checkWithCoins
} from "./relay/acceptance.ts"
export { clusterIsSmall } from "./relay/cluster.ts"
export {
  MAX_BIP125_RBF_SEQUENCE,
  MAX_P2SH_SIGOPS,
  MAX_PACKAGE_COUNT,
  MAX_PACKAGE_WEIGHT,
  MAX_REPLACEMENT_CANDIDATES,
  MAX_STANDARD_TX_SIGOPS_COST,
  MAX_STANDARD_TX_WEIGHT,
  TRUC_CHILD_MAX_VSIZE,
  TRUC_MAX_VSIZE,
  TRUC_VERSION
} from "./relay/constants.ts"
export {
  type DustPaysFee,
  dustOutputs,
  dustThreshold,
  type DustyParent,
  parentDustIsSpent,
  type ParentDustIsLeft
} from "./relay/dust.ts"
export { compareFeeRates, feeForSize, feePerKilobyte, type FeeRate, modifiedFee } from "./relay/fee-rate.ts"
export { inputSigOps, type ScriptSigFails, type TooManyRedeemSigOps } from "./relay/input-forms.ts"
export { type AboveFeeCeiling, checkFee, feeCeilingIsKept, type FeeShortfall } from "./relay/minimum-fee.ts"
export { isFinalOnTip, sequenceLocksPassOnTip } from "./relay/next-block.ts"
export { type OutputKind, type OutputType, outputType } from "./relay/output-type.ts"
export {
  checkPackageReplacement,
  type ChildDoesNotPay,
  packageDiagramImproves,
  type PackagePaysTooLittle,
  type PackageReplacement
} from "./relay/package-replacement.ts"
export {
  checkPackage,
  packageHash,
  packageIsChildWithParents,
  type PackageMember,
  parentsAreIndependent
} from "./relay/package-shape.ts"
export {
  ancestorsStay,
  isNotInPool,
  isNotInPoolOtherwise,
  outputsAreNotKnown,
  replacementIsAllowed,
  type SpendsWhatItReplaces
} from "./relay/pool-identity.ts"
export { type ClusterLimits, DEFAULT_RELAY_POLICY, type RelayPolicy } from "./relay/relay-policy.ts"
export {
  checkReplacement,
  type DiagramComparison,
  diagramImproves,
  type PaysLessThanConflicts,
  type PaysTooLittleForRelay,
  type Replacement,
  type TooManyClusters
} from "./relay/replacement.ts"
export { checkTerms, replacementTerms, type TermsFacts } from "./relay/replacement-mode.ts"
export type { ReplacementMode, ReplacementTerms } from "./relay/replacement-terms.ts"
export type { SigOpCostTooHigh } from "./relay/sigop-cost.ts"
export { STANDARD_FLAGS } from "./relay/standard-flags.ts"
export type {
  TrucChildTooBig,
  TrucTooBig,
  TrucTooManyAncestors,
  TrucTooManyDescendants,
  TrucTransaction,
  TrucVersionsDiffer
} from "./relay/truc.ts"
export {
  checkPackageTruc,
  checkTruc,
  evictableSibling,
  type PooledDescendant,
  type PooledParent,
  type TrucMember
} from "./relay/truc-topology.ts"
export { adjustedWeight, virtualSize } from "./relay/virtual-size.ts"
export { spendsWitnessProgram } from "./relay/witness-limits.ts"
