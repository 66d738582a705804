import * as Schema from "effect/Schema"
import { Count, Flag, HashText, inCategory, Milliseconds, Satoshis, Text } from "./event-type.ts"

const blockchain = inCategory("Blockchain")
const consensus = inCategory("Consensus")
const mining = inCategory("Mining")

/** Events of the chain and of transactions. */
export const BLOCKCHAIN_EVENTS = {
  NewBlock: blockchain("a block became the tip of the active chain", {
    block_hash: HashText,
    height: Count,
    transactions: Count
  }),
  NewTransaction: blockchain(
    "a transaction was accepted that was neither in a disconnected block nor in a saved mempool",
    { txid: HashText, wtxid: HashText }
  ),
  BlockDisconnected: blockchain("a block was disconnected from the active chain", {
    block_hash: HashText,
    height: Count
  }),
  ChainReorg: blockchain("the active chain moved to another branch", {
    old_tip: HashText,
    new_tip: HashText,
    fork_hash: HashText,
    fork_height: Count,
    disconnected: Count,
    connected: Count
  })
} as const

/** Verdicts of the consensus rules. */
export const CONSENSUS_EVENTS = {
  BlockValidationStarted: consensus("a block is about to be connected", { block_hash: HashText, height: Count }),
  BlockValidationCompleted: consensus("the validation of a block is over", {
    block_hash: HashText,
    height: Count,
    valid: Flag,
    reason: Schema.optionalKey(Text),
    duration_ms: Milliseconds
  }),
  ScriptVerificationStarted: consensus("the scripts of a block are sent to the workers", {
    block_hash: HashText,
    inputs: Count
  }),
  ScriptVerificationCompleted: consensus("the scripts of a block are verified", {
    block_hash: HashText,
    inputs: Count,
    valid: Flag,
    duration_ms: Milliseconds
  }),
  UTXOValidationStarted: consensus("the check of the coins of a block starts", {
    block_hash: HashText,
    height: Count,
    inputs: Count
  }),
  UTXOValidationCompleted: consensus("the check of the coins of a block is over", {
    block_hash: HashText,
    height: Count,
    valid: Flag,
    duration_ms: Milliseconds
  }),
  DifficultyAdjusted: consensus("a block of a new difficulty period was connected", {
    height: Count,
    old_bits: Text,
    new_bits: Text
  }),
  SoftForkActivated: consensus("a deployment is in force from this block on", { name: Text, height: Count }),
  SoftForkLockedIn: consensus("enough blocks of a period signalled for a deployment", { name: Text, height: Count }),
  ConsensusRuleViolation: consensus("a block or header broke a rule", {
    block_hash: HashText,
    rule: Text,
    reason: Text
  }),
  LargeInvalidChainFound: consensus("an invalid chain has the work of more than six blocks more than the active one", {
    block_hash: HashText,
    height: Count,
    blocks_ahead: Count
  })
} as const

export const MINING_EVENTS = {
  BlockMined: mining("this node made a block", { block_hash: HashText, height: Count, reward: Satoshis }),
  BlockTemplateUpdated: mining("a block template was made on a new tip or with other transactions", {
    previous_hash: HashText,
    height: Count,
    transactions: Count
  }),
  MiningDifficultyChanged: mining("the work that the next block needs changed", {
    height: Count,
    old_bits: Text,
    bits: Text
  }),
  MiningJobCreated: mining("a job was handed to a miner", { job_id: Text, previous_hash: HashText }),
  ShareSubmitted: mining("a miner handed in a share", { job_id: Text, accepted: Flag }),
  MergeMiningReward: mining("a merge-mined block paid", { chain: Text, amount: Satoshis }),
  MiningPoolConnected: mining("a connection to a pool stands", { pool: Text }),
  MiningPoolDisconnected: mining("a connection to a pool is gone", { pool: Text, reason: Text })
} as const
