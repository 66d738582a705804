/** The tree of headers and the choice of a chain. */
export { type AssumedBlock, equivalentTime, scriptCheckReason, type ScriptCheckReason } from "./chain/assumed-valid.ts"
export { ancestorAt, childOf, type HeaderNode, skipHeight } from "./chain/header-node.ts"
export { medianTimePast } from "./chain/median-time.ts"
export { isBetterChain, lastCommonAncestor, reorganisation, type Reorganisation } from "./chain/selection.ts"
