/** Rules in force for a block. */
export { forbidsOverwriting } from "./deployment/repeated-coinbase.ts"
export { blockScriptFlags } from "./deployment/script-flags.ts"
export {
  type DeploymentState,
  deploymentState,
  signallingStatistics,
  type SignallingStatistics,
  signals,
  type VersionBitsDeployment
} from "./deployment/version-bits.ts"
