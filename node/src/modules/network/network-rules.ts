import {
  type NetworkPlace,
  type NetworkTarget,
  networkTargetOf,
  placeOfTarget
} from "@lockstep/protocol/module-manifest/index.ts"
import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Result from "effect/Result"
import { isLan, isLocal } from "../../net/address-place.ts"
import { parseAddress } from "../../net/endpoint-text.ts"

/** Addresses on which one module may listen and to which it may connect. */
export interface NetworkRules {
  readonly listen: ReadonlyArray<NetworkPlace>
  readonly connect: ReadonlyArray<NetworkPlace>
  /** True if the operator reaches the internet through a proxy, which these connections do not use. */
  readonly isBehindProxy: boolean
}

const denied = (text: string): IpcError => ({ kind: "PermissionDenied", text })

const targetIn = (text: string): Result.Result<NetworkTarget, IpcError> => {
  const target = networkTargetOf(text)
  return target === undefined
    ? Result.fail({ kind: undefined, text: `${text} is no address: write host:port` })
    : Result.succeed(target)
}

/** Returns the address on which a module wants to listen, if the rules allow it. */
export const listenTarget = ({ listen }: NetworkRules, text: string): Result.Result<NetworkTarget, IpcError> =>
  Result.flatMap(targetIn(text), (target) =>
    placeOfTarget(listen, target) === undefined
      ? Result.fail(denied(`network_listen does not name ${text}`))
      : Result.succeed(target))

/** Returns the reason to refuse an address of the target. A rule for every host does not include this machine. */
type AddressFault = (address: string) => IpcError | undefined

/**
 * Returns the target to which a module wants to connect, if the rules allow it, with the check of the host's addresses.
 */
export const connectTarget = (
  { connect, isBehindProxy }: NetworkRules,
  text: string
): Result.Result<{ readonly target: NetworkTarget; readonly addressFault: AddressFault }, IpcError> =>
  Result.flatMap(targetIn(text), (target) => {
    const place = placeOfTarget(connect, target)
    if (place === undefined) return Result.fail(denied(`network_connect does not name ${text}`))
    if (isBehindProxy && parseAddress(target.host) === undefined) {
      return Result.fail(denied("the node has a proxy, and looks up no names for modules"))
    }
    const addressFault: AddressFault = (address) => {
      const parsed = parseAddress(address)
      if (parsed === undefined) return denied(`${address} is no address`)
      if (isLocal(parsed)) {
        return place.host === undefined
          ? denied(`${text} is this machine, which network_connect must name by its host`)
          : undefined
      }
      return isBehindProxy && !isLan(parsed)
        ? denied("the node has a proxy, which connections of modules do not use")
        : undefined
    }
    return Result.succeed({ target, addressFault })
  })
