import { anySettingName, settingName, shortSettingName } from "../../front/setting-name.ts"
import {
  compareFeeRates,
  DEFAULT_RELAY_POLICY,
  type FeeRate,
  type RelayPolicy,
  replacementTerms,
  type ReplacementTerms
} from "@lockstep/kernel/relay"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../engine/options/settings.ts"
import type { NodeConfig } from "../config.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import type { NetworkRow } from "../network-table.ts"
import { absolutePath, type HostMachine } from "./machine.ts"
import { spamOf } from "./spam-of.ts"
import { MEGABYTE } from "../../units.ts"

const SECONDS_PER_HOUR = 3_600
const WEIGHT_PER_BYTE = 4

/** Size of the mempool with -blocksonly, as in Bitcoin Core: only transactions of this node enter it. */
const MEGABYTES_OF_BLOCKS_ONLY = 5

/** Minimum number of the largest clusters that a full mempool holds. */
const LEAST_CLUSTERS = 40

const perKilobyte = (satoshis: number): FeeRate => ({ fee: BigInt(satoshis), size: 1_000 })

const minRelayFeeOf = (effective: Effective, incremental: FeeRate): FeeRate => {
  const given = optionalValue(effective, "mempool.min_relay_fee_rate")
  if (given !== undefined) return perKilobyte(Math.round(given * 1_000))
  const { minRelayFee } = DEFAULT_RELAY_POLICY
  return compareFeeRates(incremental, minRelayFee) > 0 ? incremental : minRelayFee
}

const policyOf = (effective: Effective): RelayPolicy => {
  const incrementalRelayFee = perKilobyte(valueOf(effective, "mempool.incremental_relay_fee"))
  return {
    requireStandard: !valueOf(effective, "mempool.accept_non_standard"),
    permitBareMultisig: valueOf(effective, "mempool.permit_bare_multisig"),
    dataCarrierBytes: valueOf(effective, "mempool.data_carrier_bytes"),
    dustRelayFee: perKilobyte(valueOf(effective, "mempool.dust_relay_fee")),
    minRelayFee: minRelayFeeOf(effective, incrementalRelayFee),
    incrementalRelayFee,
    bytesPerSigOp: valueOf(effective, "mempool.bytes_per_sigop"),
    cluster: {
      count: valueOf(effective, "mempool.max_cluster_count"),
      weight: valueOf(effective, "mempool.max_cluster_size") * WEIGHT_PER_BYTE
    }
  }
}

/** Applies the single keys that are set to the terms of the mode. No key makes a mode replace if it replaces nothing. */
const termsOf = (effective: Effective): ReplacementTerms => {
  const ofMode = replacementTerms(valueOf(effective, "rbf.mode"))
  if (!ofMode.allowed) return ofMode
  const factor = optionalValue(effective, "rbf.min_fee_rate_multiplier")
  const bump = optionalValue(effective, "rbf.min_fee_bump_satoshis")
  return {
    ...ofMode,
    packages: optionalValue(effective, "rbf.allow_package_replacements") ?? ofMode.packages,
    rateFactor: factor === undefined ? ofMode.rateFactor : Math.round(factor * 1_000),
    bump: bump === undefined ? ofMode.bump : BigInt(bump),
    maxReplacements: optionalValue(effective, "rbf.max_replacements_per_tx") ?? ofMode.maxReplacements,
    cooldown: optionalValue(effective, "rbf.cooldown_seconds") ?? ofMode.cooldown,
    confirmations: optionalValue(effective, "rbf.min_confirmations") ?? ofMode.confirmations
  }
}

/** `[mempool]` and `[rbf]`. */
export const mempoolOf = (effective: Effective, machine: HostMachine): NodeConfig["mempool"] => {
  const isBlocksOnly = valueOf(effective, "connections.blocks_only")
  const megabytes = optionalValue(effective, "mempool.max_mempool_mb")
  const fallback = isBlocksOnly ? MEGABYTES_OF_BLOCKS_ONLY * MEGABYTE : DEFAULT_MEMPOOL_SETTINGS.maxBytes
  const file = optionalValue(effective, "mempool.mempool_persistence_path")
  return {
    policy: policyOf(effective),
    mode: valueOf(effective, "rbf.mode"),
    terms: termsOf(effective),
    spam: valueOf(effective, "mempool.reject_spam_in_mempool") ? spamOf(effective) : undefined,
    maxBytes: megabytes === undefined ? fallback : megabytes * MEGABYTE,
    maxTransactions: optionalValue(effective, "mempool.max_mempool_txs"),
    expirySeconds: valueOf(effective, "mempool.mempool_expiry_hours") * SECONDS_PER_HOUR,
    extraTransactions: valueOf(effective, "mempool.compact_block_extra_transactions"),
    persists: valueOf(effective, "mempool.persist_mempool"),
    file: file === undefined ? undefined : absolutePath(file, machine),
    estimatesFees: !isBlocksOnly,
    acceptsStaleEstimates: valueOf(effective, "regtest.accept_stale_fee_estimates")
  }
}

/** Describes mempool settings that cannot work. */
export const mempoolProblems = (
  effective: Effective,
  { mempool: { maxBytes, policy } }: NodeConfig,
  network: NetworkRow
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const least = Math.ceil((LEAST_CLUSTERS * policy.cluster.weight) / WEIGHT_PER_BYTE / MEGABYTE)
  if (maxBytes > 0 && maxBytes < (LEAST_CLUSTERS * policy.cluster.weight) / WEIGHT_PER_BYTE) {
    problems.push(
      `${settingName("[mempool].max_mempool_mb")} must be at least ${least} for ${LEAST_CLUSTERS} clusters of ${
        shortSettingName("[mempool].max_cluster_size")
      }, or 0`
    )
  }
  if (!policy.requireStandard && network.name === "mainnet") {
    problems.push(
      `${settingName("[mempool].accept_non_standard")}: mainnet relays standard transactions alone; remove the key`
    )
  }
  if (valueOf(effective, "regtest.accept_stale_fee_estimates") && network.name !== "regtest") {
    problems.push(
      `${
        settingName("[regtest].accept_stale_fee_estimates")
      }: old estimates say nothing about fees of ${network.option}; remove the key`
    )
  }
  return problems
}

const RELATIVES = ["max_ancestor_count", "max_ancestor_size", "max_descendant_count", "max_descendant_size"]

const OF_MODE = [
  "min_fee_rate_multiplier",
  "min_fee_bump_satoshis",
  "min_confirmations",
  "allow_package_replacements",
  "max_replacements_per_tx",
  "cooldown_seconds"
]

/** Describes mempool settings without effect. */
export const mempoolWarnings = (effective: Effective, { mempool }: NodeConfig): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  const relatives = RELATIVES.filter((name) => isGiven(effective, `mempool.${name}`))
  if (relatives.length > 0) {
    warnings.push(
      `[mempool].${relatives.join(", ")} change nothing: ${shortSettingName("[mempool].max_cluster_count")} and ${
        shortSettingName("[mempool].max_cluster_size")
      } limit what hangs together`
    )
  }
  const ofMode = OF_MODE.filter((name) => isGiven(effective, `rbf.${name}`))
  if (!mempool.terms.allowed && ofMode.length > 0) {
    warnings.push(`[rbf].${ofMode.join(", ")} change nothing: with mode = "disabled" nothing is replaced`)
  }
  const hasFilter = [...effective.keys()].some((name) =>
    name.startsWith("mempool.spam_filter.") && isGiven(effective, name)
  )
  if (hasFilter && mempool.spam === undefined) {
    warnings.push(
      `[mempool.spam_filter] changes nothing without ${anySettingName("[mempool].reject_spam_in_mempool")} = true`
    )
  }
  return warnings
}
