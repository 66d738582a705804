/**
 * The public face of the protocol package: networks and what sets them apart, reasons for refusals, messages between
 * nodes.
 */
export type { AssumeUtxo, Network, NetworkName } from "./networks/network.ts"
export { type DeploymentName, DEPLOYMENT_NAMES, withActivationHeights } from "./networks/activation-heights.ts"
export { NETWORKS, NETWORK_NAMES, networkCalled } from "./networks/table.ts"
export { debugMessage, type Offender } from "./rejection/debug-message.ts"
export {
  KNOWN_INVALID,
  PARENT_INVALID,
  PARENT_MISSING,
  type Rejection,
  rejectionOf,
  rejectionText
} from "./rejection/rejection.ts"
export { type RejectionClass, rejectionClass } from "./rejection/rejection-class.ts"
export { SCRIPT_ERROR_TEXTS } from "./rejection/script-error-text.ts"
export { type AddressKind, addressKind, fitsOldForm } from "./wire/address/address-kind.ts"
export { isRoutable } from "./wire/address/is-routable.ts"
export { AddressNetwork, type NetworkAddress } from "./wire/address/network-address.ts"
export { type Command, COMMANDS, isCommand, type Message, type MessageOf } from "./wire/codecs.ts"
export { compactBlockOf } from "./wire/compact-block/compact-block-of.ts"
export {
  type CompactBlockFault,
  completed,
  missingIndexes,
  offerTransaction,
  type Reconstruction,
  reconstruction
} from "./wire/compact-block/reconstruction.ts"
export { frameConsequence, payloadConsequence } from "./wire/consequence.ts"
export type { Consequence } from "./wire/excess.ts"
export { endsConnection, faultText, type FrameFault, type PayloadFault } from "./wire/fault.ts"
export { encodeFrame, frameHeader, frameOf } from "./wire/frame.ts"
export { abandon, feed, type Frame, type FrameReader, frameReader, heldBytes, readFrame } from "./wire/frame-reader.ts"
export { type InventoryEntry, InventoryType, isBlockType, isTransactionType } from "./wire/inventory.ts"
export { DEFAULT_LIMITS, LIMITS, limitsToSend, limitsToTake, type ProtocolLimits } from "./wire/limits.ts"
export { type Decoded, decodeMessage, encodeMessage } from "./wire/message.ts"
export { offers, ServiceFlag, type ServiceName, serviceNames } from "./wire/services.ts"
export { userAgentBytes, userAgentText } from "./wire/user-agent.ts"
