import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Random } from "../basics/environment.ts"

/** True if transactions can be broadcast privately now. */
export const isPrivatelyReachable = (reachable: ReadonlySet<AddressKind>): boolean =>
  reachable.has("onion") || reachable.has("i2p")

/**
 * Returns the network of the next private connection, each equally likely (Core: `PickNetwork`), or `undefined` if
 * neither Tor nor I2P is reachable. `isTorProven` allows nodes of the internet, which are then reached through Tor.
 */
export const chooseNetwork = (
  reachable: ReadonlySet<AddressKind>,
  isTorProven: boolean,
  random: Pick<Random, "below">
): AddressKind | undefined => {
  const isThroughTor = reachable.has("onion") && isTorProven
  const networks = (["onion", "ipv4", "ipv6", "i2p"] as const).filter((kind) =>
    reachable.has(kind) && (kind === "onion" || kind === "i2p" || isThroughTor)
  )
  return networks.length === 0 ? undefined : networks[random.below(networks.length)]
}
