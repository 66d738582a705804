import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { secondsOf, type UnixMilliseconds } from "../../quantities.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import { SECONDS } from "../../units.ts"

/** Falls back once to the addresses of the release. */
export interface FixedSeeding {
  readonly tick: () => void
}

export interface FixedSeedingOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  /** Networks in which peers are chosen. */
  readonly reachable: ReadonlySet<AddressKind>
  /** Addresses built into the release; `undefined` if they are not used. */
  readonly built: ReadonlyArray<Endpoint> | undefined
  /** True if addresses may come from other sources: DNS seeds, seed nodes, or nodes that an operator added. */
  readonly hasOtherSources: () => boolean
}

/** The service bits that Core expects of its seeds. */
const SERVICES = ServiceFlag.NETWORK | ServiceFlag.WITNESS

/** Makes the fallback. It waits by the node's clock, which an operator's tests may move. */
export const fixedSeeding = (
  { book, built, context, hasOtherSources, reachable }: FixedSeedingOptions
): FixedSeeding => {
  const { environment: { random }, notify } = context
  const clock = nodeClock(context)
  const startedAt: UnixMilliseconds = clock()
  let isOver = built === undefined

  /** Returns the networks in which peers are chosen and of which the addrman has no address. */
  const emptyNetworks = (): ReadonlyArray<AddressKind> =>
    [...reachable].filter((kind) => !book.table.list.some(({ address }) => addressKind(address) === kind))

  const useBuilt = (networks: ReadonlyArray<AddressKind>): void => {
    isOver = true
    const wanted = (built ?? []).filter(({ address }) => networks.some((kind) => addressKind(address) === kind))
    for (const endpoint of wanted) {
      const time = secondsOf(clock()) - random.below(SECONDS.week) - SECONDS.week
      book.add([{ ...endpoint, services: SERVICES, time }], endpoint.address)
    }
    notify.trace?.({ _tag: "FixedSeedsAdded", count: wanted.length })
    if (wanted.length === 0) return
    notify.log("info", "no node is known in some networks: starting with the addresses of the release", {
      addresses: wanted.length,
      networks: networks.join(", ")
    })
  }

  /** Returns the reason to fall back now, or `undefined`. */
  const why = (): "no other source" | "waited" | undefined => {
    if (clock() >= startedAt + CONNECTION_LIMITS.fixedSeedWait.most) return "waited"
    return hasOtherSources() ? undefined : "no other source"
  }

  if (built === undefined) notify.trace?.({ _tag: "FixedSeedsDisabled" })

  return {
    tick: () => {
      if (isOver) return
      const isTime = why()
      if (isTime === undefined) return
      const empty = emptyNetworks()
      if (empty.length === 0) return
      notify.trace?.({ _tag: "FixedSeedsNeeded", why: isTime })
      useBuilt(empty)
    }
  }
}
