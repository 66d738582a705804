import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NodeConfig } from "../../config/config.ts"
import type { LearnedAddresses } from "../addresses/learned-network.ts"
import type { HiddenServiceState } from "./network.ts"

/**
 * Returns the hidden services that the operator wants. Bitcoin Core's options request an onion service wherever Tor is
 * found, so with them it counts only once it exists.
 */
export const hiddenServicesOf = (
  { peers: { i2p, isListening, torControl }, standIn }: Pick<NodeConfig, "peers" | "standIn">,
  { own }: Pick<LearnedAddresses, "own">
) =>
(): ReadonlyArray<HiddenServiceState> => {
  const up = new Set(own().map(({ address }) => addressKind(address)))
  const states: Array<HiddenServiceState> = []
  const wantsOnion = torControl !== undefined && (standIn === undefined || up.has("onion"))
  if (isListening && wantsOnion) states.push({ network: "onion", isUp: up.has("onion") })
  if (isListening && i2p?.acceptsIncoming === true) states.push({ network: "i2p", isUp: up.has("i2p") })
  return states
}
