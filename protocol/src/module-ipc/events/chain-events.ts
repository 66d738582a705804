import { option } from "../layout/compounds.ts"
import type { Fields } from "../layout/layout.ts"
import { bool, bytes, count, hash, text, u32 } from "../layout/scalars.ts"

/** Events of the chain, of payments, mining and governance. Hashes in internal byte order, amounts in satoshis unless the name says otherwise. */
export const CHAIN_EVENTS = {
  NewBlock: { block_hash: hash, height: count },
  NewTransaction: { tx_hash: hash },
  BlockDisconnected: { hash, height: count },
  ChainReorg: { old_tip: hash, new_tip: hash },
  PaymentRequestCreated: { payment_id: text, amount_sats: count, invoice: option(text) },
  PaymentSettled: { payment_id: text, tx_hash: hash, confirmations: u32 },
  PaymentFailed: { payment_id: text, reason: text },
  PaymentVerified: { payment_id: text, amount_msats: count, invoice: text },
  PaymentRouteFound: { payment_id: text, route_hops: count, route_cost_msats: count },
  PaymentRouteFailed: { payment_id: text, reason: text },
  ChannelOpened: { channel_id: text, peer_pubkey: bytes, capacity_sats: count },
  ChannelClosed: { channel_id: text, reason: text },
  BlockMined: { block_hash: hash, height: count, miner_id: option(text) },
  BlockTemplateUpdated: { prev_hash: hash, height: count, tx_count: count },
  MiningDifficultyChanged: { old_difficulty: u32, new_difficulty: u32, height: count },
  MiningJobCreated: { job_id: text, prev_hash: hash, height: count },
  ShareSubmitted: { job_id: text, share_hash: hash, miner_id: option(text) },
  MergeMiningReward: { secondary_chain: text, reward_amount: count, block_hash: hash },
  MiningPoolConnected: { pool_url: text, pool_id: option(text) },
  MiningPoolDisconnected: { pool_url: text, reason: text },
  GovernanceProposalCreated: { proposal_id: text, repository: text, pr_number: count, tier: text },
  GovernanceProposalVoted: { proposal_id: text, voter: text, vote: text },
  GovernanceProposalMerged: { proposal_id: text, repository: text, pr_number: count },
  WebhookSent: { webhook_url: text, event_type: text, success: bool },
  WebhookFailed: { webhook_url: text, event_type: text, error: text },
  GovernanceForkDetected: { fork_id: text, ruleset_version: text, adoption_count: count }
} as const satisfies Readonly<Record<string, Fields>>
