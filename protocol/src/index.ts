/** The public face of the protocol package: what networks there are, and what sets them apart. */
export type { AssumeUtxo, Network, NetworkName } from "./networks/network.ts"
export { type DeploymentName, DEPLOYMENT_NAMES, withActivationHeights } from "./networks/activation-heights.ts"
export { NETWORKS, NETWORK_NAMES, networkCalled } from "./networks/table.ts"
export { KNOWN_INVALID, PARENT_INVALID, PARENT_MISSING, type Rejection, rejectionOf } from "./rejection/rejection.ts"
export { type RejectionClass, rejectionClass } from "./rejection/rejection-class.ts"
export { SCRIPT_ERROR_TEXTS } from "./rejection/script-error-text.ts"
