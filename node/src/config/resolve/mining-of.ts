import { settingName, shortSettingName } from "../../front/setting-name.ts"
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

/** Describes settings of block templates that cannot work. */
export const miningProblems = ({ mining }: NodeConfig, network: NetworkRow): ReadonlyArray<string> => {
  const { blockMaxWeight, blockReservedWeight, blockVersion } = mining
  const problems: Array<string> = []
  if (blockReservedWeight > blockMaxWeight) {
    problems.push(
      `${settingName("[mining].block_reserved_weight")} = ${blockReservedWeight} exceeds ${
        shortSettingName("[mining].block_max_weight")
      } = ${blockMaxWeight}; ` +
        `raise ${shortSettingName("[mining].block_max_weight")} or lower ${
          shortSettingName("[mining].block_reserved_weight")
        }`
    )
  }
  if (blockVersion !== undefined && network.name !== "regtest") {
    problems.push(`${settingName("[regtest].block_version")}: deployments decide on ${network.option}; remove the key`)
  }
  return problems
}
