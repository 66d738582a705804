/** In which numbers one network differs from another. */
export type { BlockId, ChainParameters, DeploymentHeights, WorkParameters } from "./parameters/chain-parameters.ts"
