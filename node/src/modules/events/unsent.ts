import type { ModuleEventType, ReservedEvent } from "@lockstep/protocol/module-ipc/index.ts"
import type { EventType } from "../../events/event-types.ts"

/** Events of the node that no module receives, each with the reason. A module may publish such an event to others. */
export const UNSENT = {
  PaymentSettled: "modules publish it; the node's event has neither transaction nor confirmations",
  PaymentVerified: "modules publish it; the node's event has neither amount nor invoice",
  ChannelOpened: "modules publish it; the node's event has no public key of the other side",
  MiningJobCreated: "modules publish it; the node's event has no height",
  ShareSubmitted: "modules publish it; the node's event has no hash of the share",
  MergeMiningReward: "modules publish it; the node's event has no block",
  GovernanceProposalCreated: "modules publish it; the node's event has no repository",
  GovernanceProposalMerged: "modules publish it; the node's event has no repository",
  GovernanceForkDetected: "modules publish it; the node's event has no ruleset",
  WebhookSent: "modules publish it; the node's event does not say what was sent",
  WebhookFailed: "modules publish it; the node's event does not say what was sent",
  LargeInvalidChainFound: "the wire has no event of invalid chains; ConsensusRuleViolation names their first block",
  FibreBlockEncoded: "modules publish it; the node's event has no height",
  FibreBlockSent: "modules publish it; the node's event has no height",
  UtxoCommitmentReceived: "modules publish it; the node's event has no commitment",
  UtxoCommitmentVerified: "modules publish it; the node's event has no commitment",
  MeshPacketReceived: "modules publish it; the node's event has no content",
  StratumV2MessageReceived: "modules publish it; the node's event has no content"
} as const satisfies Readonly<Partial<Record<EventType, string>>>

/** Events of the wire without a counterpart in the node, each with the reason. */
export const WITHOUT_NODE_EVENT: Readonly<Record<Exclude<ModuleEventType, EventType | ReservedEvent>, string>> = {
  SelectiveSyncPolicyApplied: "modules publish it",
  ActionExecuted: "modules publish it",
  ModulePurchaseCompleted: "modules publish it",
  StratumClientConnected: "modules publish it",
  StratumClientDisconnected: "modules publish it",
  IBDBlockFiltered: "modules publish it",
  EventsDropped: "each module receives its own",
  TimerFired: "each module receives its own",
  NetworkAccepted: "each module receives its own",
  NetworkReceived: "each module receives its own",
  NetworkEnded: "each module receives its own",
  NetworkDrained: "each module receives its own",
  NetworkClosed: "each module receives its own",
  Notified: "each module receives its own",
  MempoolSnapshot: "each module receives its own",
  MempoolStep: "each module receives its own"
}
