/** The mempool's graph: clusters of transactions, kept linearized, and the mining order of their chunks. */
export {
  ACCEPTABLE_BUDGET,
  type Changes,
  type Chunk,
  type ChunkHandle,
  type ClusterLimits,
  type Dependency,
  type Diagrams,
  type FeeFrac,
  type NewTransaction,
  POST_CHANGE_BUDGET,
  type TxGraph,
  type TxGraphOptions,
  type TxHandle
} from "./contract.ts"
export { compareFeerates } from "./feerate/compare.ts"
export { compareDiagrams, type DiagramOrder } from "./feerate/diagram.ts"
export { txGraph } from "./graph.ts"
