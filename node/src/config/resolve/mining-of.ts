import type { NodeConfig } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"
import type { NetworkRow } from "../network-table.ts"

/** `[mining]`. */
export const miningOf = (effective: Effective): NodeConfig["mining"] => ({
  blockMaxWeight: valueOf(effective, "mining.block_max_weight"),
  blockReservedWeight: valueOf(effective, "mining.block_reserved_weight"),
  blockMinFee: BigInt(valueOf(effective, "mining.block_min_fee")),
  blockVersion: optionalValue(effective, "regtest.block_version")
})

/** What about block templates cannot work. */
export const miningProblems = ({ mining }: NodeConfig, network: NetworkRow): ReadonlyArray<string> => {
  const { blockMaxWeight, blockReservedWeight, blockVersion } = mining
  const problems: Array<string> = []
  if (blockReservedWeight > blockMaxWeight) {
    problems.push(
      `[mining].block_reserved_weight = ${blockReservedWeight} exceeds block_max_weight = ${blockMaxWeight}; ` +
        "raise block_max_weight or lower block_reserved_weight"
    )
  }
  if (blockVersion !== undefined && network.name !== "regtest") {
    problems.push(`[regtest].block_version: deployments decide on ${network.option}; remove the key`)
  }
  return problems
}
