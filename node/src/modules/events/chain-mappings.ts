import { bitsOf, wireHashOf, type Mappings, type SentEventType, whole } from "./mapping.ts"

/** Events of the chain, of validation, of mining and of payments. */
export const CHAIN_MAPPINGS = {
  NewBlock: ({ block_hash, height }) => ({ block_hash: wireHashOf(block_hash), height }),
  NewTransaction: ({ txid }) => ({ tx_hash: wireHashOf(txid) }),
  BlockDisconnected: ({ block_hash, height }) => ({ hash: wireHashOf(block_hash), height }),
  ChainReorg: ({ new_tip, old_tip }) => ({ old_tip: wireHashOf(old_tip), new_tip: wireHashOf(new_tip) }),
  BlockMined: ({ block_hash, height }) => ({ block_hash: wireHashOf(block_hash), height, miner_id: undefined }),
  BlockTemplateUpdated: ({ height, previous_hash, transactions }) => ({
    prev_hash: wireHashOf(previous_hash),
    height,
    tx_count: transactions
  }),
  MiningDifficultyChanged: ({ bits, height, old_bits }) => ({
    old_difficulty: bitsOf(old_bits),
    new_difficulty: bitsOf(bits),
    height
  }),
  MiningPoolConnected: ({ pool }) => ({ pool_url: pool, pool_id: undefined }),
  MiningPoolDisconnected: ({ pool, reason }) => ({ pool_url: pool, reason }),
  BlockValidationStarted: ({ block_hash, height }) => ({ block_hash: wireHashOf(block_hash), height }),
  BlockValidationCompleted: ({ block_hash, duration_ms, height, reason, valid }) => ({
    block_hash: wireHashOf(block_hash),
    height,
    success: valid,
    validation_time_ms: whole(duration_ms),
    error: reason
  }),
  ScriptVerificationStarted: ({ block_hash, inputs }) => ({ block_hash: wireHashOf(block_hash), inputs }),
  ScriptVerificationCompleted: ({ block_hash, duration_ms, inputs, valid }) => ({
    block_hash: wireHashOf(block_hash),
    inputs,
    success: valid,
    verification_time_ms: whole(duration_ms)
  }),
  UTXOValidationStarted: ({ block_hash, height }) => ({ block_hash: wireHashOf(block_hash), height }),
  UTXOValidationCompleted: ({ block_hash, height, valid }) => ({
    block_hash: wireHashOf(block_hash),
    height,
    success: valid
  }),
  DifficultyAdjusted: ({ height, new_bits, old_bits }) => ({
    old_difficulty: bitsOf(old_bits),
    new_difficulty: bitsOf(new_bits),
    height
  }),
  SoftForkActivated: ({ height, name }) => ({ fork_name: name, height }),
  SoftForkLockedIn: ({ height, name }) => ({ fork_name: name, height }),
  ConsensusRuleViolation: ({ block_hash, reason, rule }) => ({
    rule_name: rule,
    block_hash: wireHashOf(block_hash),
    tx_hash: undefined,
    error: reason
  }),
  PaymentRequestCreated: ({ amount, payment_id }) => ({ payment_id, amount_sats: amount, invoice: undefined }),
  PaymentFailed: ({ payment_id, reason }) => ({ payment_id, reason }),
  PaymentRouteFound: ({ fee, hops, payment_id }) => ({
    payment_id,
    route_hops: hops,
    route_cost_msats: fee * 1_000
  }),
  PaymentRouteFailed: ({ payment_id, reason }) => ({ payment_id, reason }),
  ChannelClosed: ({ channel_id, reason }) => ({ channel_id, reason }),
  GovernanceProposalVoted: ({ proposal_id, vote, voter }) => ({ proposal_id, voter, vote })
} as const satisfies Partial<Mappings<SentEventType>>
