import { assert, describe, it } from "@effect/vitest"
import { changedBy, type KeyRow } from "./changed-by.ts"

describe("keys about the mempool, blocks and regtest", () => {
  it.each<KeyRow>([
    ["mempool.max_mempool_mb", 7, { "mempool.maxBytes": 7000000 }, {}],
    ["mempool.max_mempool_txs", 7, { "mempool.maxTransactions": 7 }, {}],
    ["mempool.min_relay_fee_rate", 7, { "mempool.policy.minRelayFee.fee": 7000n }, {}],
    ["mempool.incremental_relay_fee", 7, { "mempool.policy.incrementalRelayFee.fee": 7n }, {}],
    ["mempool.max_cluster_count", 7, { "mempool.policy.cluster.count": 7 }, {}],
    ["mempool.max_cluster_size", 7000, { "mempool.policy.cluster.weight": 28000 }, {}],
    ["mempool.max_ancestor_count", 7, {
      warnings: [
        "[mempool].max_ancestor_count change nothing: max_cluster_count and max_cluster_size limit what hangs together"
      ]
    }, {}],
    ["mempool.mempool_expiry_hours", 7, { "mempool.expirySeconds": 25200 }, {}],
    ["mempool.compact_block_extra_transactions", 7, { "mempool.extraTransactions": 7 }, {}],
    ["mempool.persist_mempool", false, { "mempool.persists": false }, {}],
    ["mempool.mempool_persistence_path", "m", { "mempool.file": "/d/m" }, {}],
    ["mempool.permit_bare_multisig", false, { "mempool.policy.permitBareMultisig": false }, {}],
    ["mempool.data_carrier_bytes", 7, { "mempool.policy.dataCarrierBytes": 7 }, {}],
    ["mempool.dust_relay_fee", 7, { "mempool.policy.dustRelayFee.fee": 7n }, {}],
    ["mempool.bytes_per_sigop", 7, { "mempool.policy.bytesPerSigOp": 7 }, {}],
    ["mempool.accept_non_standard", true, { "mempool.policy.requireStandard": false }, {}],
    ["mempool.reject_spam_in_mempool", true, {
      "mempool.spam.envelopes": true,
      "mempool.spam.tokenDocuments": true,
      "mempool.spam.minOutputValue": 546n,
      "mempool.spam.maxWitnessItem": 1000,
      "mempool.spam.minFeeRate": 0,
      "mempool.spam.maxBytesPerSatoshi": 1000,
      "mempool.spam.maxSmallOutputs": 10,
      "mempool.spam.smallOutputValue": 546n
    }, {}],
    ["rbf.mode", "disabled", {
      "mempool.mode": "disabled",
      "mempool.terms.allowed": false,
      "mempool.terms.packages": false
    }, {}],
    ["rbf.mode", "conservative", {
      "mempool.mode": "conservative",
      "mempool.terms.packages": false,
      "mempool.terms.signalling": true,
      "mempool.terms.rateFactor": 2000,
      "mempool.terms.bump": 5000n,
      "mempool.terms.maxReplacements": 3,
      "mempool.terms.cooldown": 300,
      "mempool.terms.confirmations": 1
    }, {}],
    ["rbf.mode", "aggressive", {
      "mempool.mode": "aggressive",
      "mempool.terms.diagram": false,
      "mempool.terms.rateFactor": 1050,
      "mempool.terms.bump": 500n,
      "mempool.terms.maxReplacements": 10,
      "mempool.terms.cooldown": 60
    }, {}],
    ["rbf.min_fee_rate_multiplier", 1.5, { "mempool.terms.rateFactor": 1500 }, {}],
    ["rbf.min_fee_bump_satoshis", 7, { "mempool.terms.bump": 7n }, {}],
    ["rbf.min_confirmations", 7, { "mempool.terms.confirmations": 7 }, {}],
    ["rbf.allow_package_replacements", false, { "mempool.terms.packages": false }, {}],
    ["rbf.max_replacements_per_tx", 7, { "mempool.terms.maxReplacements": 7 }, {}],
    ["rbf.cooldown_seconds", 7, { "mempool.terms.cooldown": 7 }, {}],
    ["mining.block_max_weight", 9000, { "mining.blockMaxWeight": 9000 }, {}],
    ["mining.block_reserved_weight", 7000, { "mining.blockReservedWeight": 7000 }, {}],
    ["mining.block_min_fee", 7, { "mining.blockMinFee": 7n }, {}],
    ["regtest.mock_time", 7, { "validation.mockTime": 7 }, {}],
    ["regtest.accept_stale_fee_estimates", true, { "mempool.acceptsStaleEstimates": true }, {}],
    ["regtest.block_version", 7, { "mining.blockVersion": 7 }, {}],
    ["regtest.activation_heights.csv", 7, {
      "validation.activationHeights": undefined,
      "validation.activationHeights.csv": 7
    }, {}],
    ["regtest.activation_heights.bip34", 7, {
      "validation.activationHeights": undefined,
      "validation.activationHeights.bip34": 7
    }, {}],
    ["mempool.spam_filter.preset", "aggressive", {
      "mempool.spam.maxWitnessItem": 500,
      "mempool.spam.minFeeRate": 2,
      "mempool.spam.maxBytesPerSatoshi": 500,
      "mempool.spam.maxSmallOutputs": 5
    }, { "mempool.reject_spam_in_mempool": true }],
    ["mempool.spam_filter.filter_ordinals", false, { "mempool.spam.envelopes": false }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.filter_brc20", false, { "mempool.spam.tokenDocuments": false }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.min_output_value", 7, { "mempool.spam.minOutputValue": 7n }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.max_witness_size", 7, { "mempool.spam.maxWitnessItem": 7 }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.min_fee_rate", 7, { "mempool.spam.minFeeRate": 7 }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.max_size_value_ratio", 7, { "mempool.spam.maxBytesPerSatoshi": 7 }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.max_small_outputs", 7, { "mempool.spam.maxSmallOutputs": 7 }, {
      "mempool.reject_spam_in_mempool": true
    }],
    ["mempool.spam_filter.small_output_value", 7, { "mempool.spam.smallOutputValue": 7n }, {
      "mempool.reject_spam_in_mempool": true
    }]
  ])("%s = %j changes what it is for, and nothing else", (key, value, changes, beside) => {
    assert.deepStrictEqual(changedBy(key, value, beside), changes)
  })
})
