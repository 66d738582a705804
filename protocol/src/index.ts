/** The public face of the protocol package: what networks there are, and what sets them apart. */
export type { AssumeUtxo, Network, NetworkName } from "./networks/network.ts"
export { type DeploymentName, DEPLOYMENT_NAMES, withActivationHeights } from "./networks/activation-heights.ts"
export { NETWORKS, NETWORK_NAMES, networkCalled } from "./networks/table.ts"
