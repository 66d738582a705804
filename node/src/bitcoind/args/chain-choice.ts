import * as Result from "effect/Result"
import { NETWORK_TABLE, type NetworkRow } from "../../config/network-table.ts"
import { flagOf, settingText } from "./setting-value.ts"
import { type SettingSources, settingOf } from "./settings.ts"

/** A chain by its name in Bitcoin Core. */
export type ChainName = "main" | "test" | "testnet4" | "signet" | "regtest"

export const CHAINS: Readonly<Record<ChainName, NetworkRow>> = {
  main: NETWORK_TABLE.mainnet,
  test: NETWORK_TABLE.testnet3,
  testnet4: NETWORK_TABLE.testnet4,
  signet: NETWORK_TABLE.signet,
  regtest: NETWORK_TABLE.regtest
}

export const isChainName = (name: string): name is ChainName => Object.hasOwn(CHAINS, name)

const FLAGS = [["regtest", "regtest"], ["signet", "signet"], ["testnet", "test"], ["testnet4", "testnet4"]] as const

/** Returns the chain that the options choose. A failure is Bitcoin Core's message. */
export const chosenChain = (settings: SettingSources): Result.Result<ChainName, string> => {
  const chosen = FLAGS.filter(([flag]) => {
    const value = settingOf(settings, "", flag, { isChainType: true })
    return value !== undefined && flagOf(value)
  }).map(([, chain]): string => chain)
  const named = settingOf(settings, "", "chain")
  if (named !== undefined) chosen.push(settingText(named))
  if (chosen.length > 1) {
    return Result.fail(
      "Invalid combination of -regtest, -signet, -testnet, -testnet4 and -chain. Can use at most one."
    )
  }
  const [chain = "main"] = chosen
  return isChainName(chain) ? Result.succeed(chain) : Result.fail(`Unknown chain ${chain}.`)
}
