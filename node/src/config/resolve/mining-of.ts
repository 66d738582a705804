import { MAX_BLOCK_WEIGHT } from "@lockstep/kernel/constants"
import { LEAST_RESERVED_WEIGHT } from "../../engine/mining/mining-options.ts"
import type { NodeConfig } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"
import type { NetworkRow } from "../network-table.ts"

/** `[mining]`, and the version of blocks on regtest. */
export const miningOf = (effective: Effective): NodeConfig["mining"] => ({
  blockMaxWeight: valueOf(effective, "mining.block_max_weight"),
  blockReservedWeight: valueOf(effective, "mining.block_reserved_weight"),
  blockMinFee: BigInt(valueOf(effective, "mining.block_min_fee")),
  blockVersion: optionalValue(effective, "regtest.block_version")
})

const MAX_WEIGHT = "[mining].block_max_weight"
const RESERVED_WEIGHT = "[mining].block_reserved_weight"
const beyondConsensus = (key: string, weight: number): string =>
  `${key} (${weight}) exceeds consensus maximum block weight (${MAX_BLOCK_WEIGHT})`

const weightProblem = ({ blockMaxWeight, blockReservedWeight }: NodeConfig["mining"]): string | undefined => {
  if (blockReservedWeight < LEAST_RESERVED_WEIGHT) {
    return `${RESERVED_WEIGHT} (${blockReservedWeight}) is lower than minimum safety value of (${LEAST_RESERVED_WEIGHT})`
  }
  if (blockReservedWeight > MAX_BLOCK_WEIGHT) return beyondConsensus(RESERVED_WEIGHT, blockReservedWeight)
  if (blockMaxWeight > MAX_BLOCK_WEIGHT) return beyondConsensus(MAX_WEIGHT, blockMaxWeight)
  return blockReservedWeight > blockMaxWeight
    ? `${RESERVED_WEIGHT} (${blockReservedWeight}) exceeds ${MAX_WEIGHT} (${blockMaxWeight})`
    : undefined
}

/** What is wrong with how blocks are to be made, in Bitcoin Core's sentences. */
export const miningProblems = (mining: NodeConfig["mining"], network: NetworkRow): ReadonlyArray<string> => {
  const weight = weightProblem(mining)
  const version = mining.blockVersion === undefined || network.name === "regtest"
    ? []
    : [`[regtest].block_version: on ${network.option} deployments decide the version of blocks; remove the key`]
  return [...weight === undefined ? [] : [weight], ...version]
}
