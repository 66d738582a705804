import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { UnixSeconds } from "../../../quantities.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { SECONDS } from "../../../units.ts"

/** The address of a node in addrman. Times are Unix seconds; 0: never. */
export interface KnownNode extends Endpoint {
  readonly key: string
  readonly source: NetworkAddress
  services: bigint
  /** When it was last seen, as reported by its sources. */
  time: UnixSeconds
  lastTry: UnixSeconds
  /** The last attempt that was counted as one. */
  lastCountedTry: UnixSeconds
  lastSuccess: UnixSeconds
  attempts: number
  isTried: boolean
  /** New buckets it is in. */
  readonly newBuckets: Set<number>
  /** Where it is in the list of all. */
  position: number
}

const FUTURE = 10 * SECONDS.minute

/** Whether it is not worth keeping. */
export const isTerrible = (node: KnownNode, now: UnixSeconds): boolean => {
  if (now - node.lastTry <= SECONDS.minute) return false
  if (node.time > now + FUTURE) return true
  if (now - node.time > ADDRESS_LIMITS.horizon.most) return true
  if (node.lastSuccess === 0) return node.attempts >= ADDRESS_LIMITS.retries.most
  return now - node.lastSuccess > ADDRESS_LIMITS.failureTime.most && node.attempts >= ADDRESS_LIMITS.failures.most
}

/** How likely it is chosen, against one of which nothing bad is known. */
export const likelihood = ({ attempts, lastTry }: KnownNode, now: UnixSeconds): number =>
  (now - lastTry < FUTURE ? 0.01 : 1) * 0.66 ** Math.min(attempts, 8)

/** As a message has it. */
export const asAddress = ({ address, port, services, time }: KnownNode): KnownAddress => ({
  time,
  services,
  address,
  port
})
