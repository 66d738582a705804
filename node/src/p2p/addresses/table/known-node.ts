import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { UnixSeconds } from "../../../quantities.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { SECONDS } from "../../../units.ts"

/** An address in the addrman. Times are Unix seconds; 0 means never. */
export interface KnownNode extends Endpoint {
  readonly key: string
  readonly source: NetworkAddress
  services: bigint
  /** Time at which its sources last saw it, as they report. */
  time: UnixSeconds
  lastTry: UnixSeconds
  /** Time of the last attempt that was counted. */
  lastCountedTry: UnixSeconds
  lastSuccess: UnixSeconds
  attempts: number
  isTried: boolean
  /** New buckets that hold it. */
  readonly newBuckets: Set<number>
  /** Index in the list of all nodes. */
  position: number
}

const FUTURE = 10 * SECONDS.minute

/** True if the node is not worth keeping (Core: `AddrInfo::IsTerrible`). */
export const isTerrible = (node: KnownNode, now: UnixSeconds): boolean => {
  if (now - node.lastTry <= SECONDS.minute) return false
  if (node.time > now + FUTURE) return true
  if (now - node.time > ADDRESS_LIMITS.horizon.most) return true
  if (node.lastSuccess === 0) return node.attempts >= ADDRESS_LIMITS.retries.most
  return now - node.lastSuccess > ADDRESS_LIMITS.failureTime.most && node.attempts >= ADDRESS_LIMITS.failures.most
}

/** Probability of being chosen, relative to a node without failures (Core: `AddrInfo::GetChance`). */
export const likelihood = ({ attempts, lastTry }: KnownNode, now: UnixSeconds): number =>
  (now - lastTry < FUTURE ? 0.01 : 1) * 0.66 ** Math.min(attempts, 8)

/** Converts a node to the form used in messages. */
export const asAddress = ({ address, port, services, time }: KnownNode): KnownAddress => ({
  time,
  services,
  address,
  port
})
