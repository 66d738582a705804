import * as Result from "effect/Result"
import { NETWORK_TABLE, type NetworkRow } from "../network-table.ts"
import { isSwitchedOn } from "./draft.ts"
import type { CoreEntry, CoreSection } from "./parse-bitcoin-conf.ts"

/** A network by Bitcoin Core's name for it, which is also the name of its section. */
const NETWORKS: Readonly<Record<CoreSection, NetworkRow>> = {
  main: NETWORK_TABLE.mainnet,
  test: NETWORK_TABLE.testnet3,
  testnet4: NETWORK_TABLE.testnet4,
  signet: NETWORK_TABLE.signet,
  regtest: NETWORK_TABLE.regtest
}

const SWITCHES: Readonly<Record<string, CoreSection>> = {
  testnet: "test",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest"
}

export interface CoreNetwork {
  readonly section: CoreSection
  readonly row: NetworkRow
}

const isSection = (name: string): name is CoreSection => Object.hasOwn(NETWORKS, name)

/** Reports whether a key chooses the network. */
export const isNetworkKey = (key: string): boolean => key === "chain" || Object.hasOwn(SWITCHES, key)

/** Returns the network that a `bitcoin.conf` is for; a failure is a line for the operator. */
export const coreNetworkOf = (entries: ReadonlyArray<CoreEntry>): Result.Result<CoreNetwork, string> => {
  const wanted = new Set<string>()
  for (const { key, section, value } of entries) {
    if (section !== "") continue
    if (key === "chain") wanted.add(value)
    else if (Object.hasOwn(SWITCHES, key) && isSwitchedOn(value)) wanted.add(SWITCHES[key]!)
  }
  if (wanted.size > 1) return Result.fail(`more than one network is chosen: ${[...wanted].join(", ")}`)
  const name = [...wanted][0] ?? "main"
  if (!isSection(name)) return Result.fail(`chain=${name} is no network; known are ${Object.keys(NETWORKS).join(", ")}`)
  return Result.succeed({ section: name, row: NETWORKS[name] })
}
