import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { endpointKey, endpointText } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { PrivateHappening } from "../../runtime/private-happening.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { KnownNode } from "../addresses/table/known-node.ts"
import { CONNECTION_LIMITS } from "../connections/connection-limits.ts"
import { makeDialer } from "../connections/dialer.ts"
import type { Reputation } from "../connections/reputation.ts"
import { machineClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerHost } from "../peer/peer-host.ts"
import type { TickingPart } from "../peer/peer-part.ts"
import type { Transport } from "../transport/transport.ts"
import { chooseNetwork } from "./choose-network.ts"
import type { PrivateDemand } from "./private-demand.ts"
import { PRIVATE_BROADCAST_LIMITS } from "./private-broadcast-limits.ts"

/** Milliseconds before the next attempt after no address, or no network, was found. */
const PAUSE = { addresses: 500, network: 5_000 }

export interface PrivateDialerOptions {
  readonly context: P2pContext
  readonly host: PeerHost
  readonly transport: Transport
  readonly demand: PrivateDemand
  readonly book: AddressBook
  readonly reachable: ReadonlySet<AddressKind>
  readonly reputation: Reputation
  readonly isActive: () => boolean
  /** This node's own addresses. */
  readonly ownAddresses: () => ReadonlyArray<Endpoint>
  readonly say: (what: PrivateHappening) => void
}

/** Opens private connections while some are needed, one with each tick (Core: `ThreadPrivateBroadcast`). */
export const privateDialer = Effect.fnUntraced(function*(
  { book, context, demand, host, isActive, ownAddresses, reachable, reputation, say, transport }: PrivateDialerOptions
): Effect.fn.Return<TickingPart, never, Scope.Scope> {
  const { environment: { random }, notify, peers } = context
  const machine = machineClock(context.environment)
  const isWelcome = ({ address }: Endpoint): boolean =>
    !reputation.isBanned(address) && !reputation.discouraged.has(address)
  const dialer = yield* makeDialer(context, transport, host, isActive, ({ endpoint }) => isWelcome(endpoint))
  let nextTurn = 0
  let isUnreachable = false

  const taken = (): ReadonlySet<string> => {
    const connected = [...peers.values()].filter(({ isGone }) => !isGone).map(({ endpoint }) => endpoint)
    return new Set([...ownAddresses(), ...connected].map(endpointKey))
  }

  const choose = (): KnownNode | "nothing" | undefined => {
    const others = taken()
    for (let tries = 0; tries < CONNECTION_LIMITS.triesPerDial.most; tries++) {
      const network = chooseNetwork(reachable, demand.isTorProven(), random)
      if (network === undefined) return undefined
      const node = book.choose({ kinds: new Set([network]) })
      if (node !== undefined && !others.has(node.key) && !dialer.underWay.has(node.key) && isWelcome(node)) return node
    }
    return "nothing"
  }

  const failed = (node: KnownNode): void => {
    say({ _tag: "Unreached", address: endpointText(node), remaining: demand.wanted() })
  }

  const dial = (node: KnownNode): void => {
    const isV2 = context.transportCrypto !== undefined && offers(node.services, ServiceFlag.P2P_V2)
    dialer.dial({ endpoint: node, kind: "private-broadcast", isV2, lastSeen: node.time }, (error) => {
      // A failure of this node's own proxy says nothing about the address dialed.
      if (error?.isProxy !== true) book.attempted(node, true)
      if (error !== undefined) return failed(node)
      demand.cancel(1)
      say({ _tag: "Connected", address: endpointText(node), remaining: demand.wanted() })
    })
  }

  const open = (): number => {
    let count = dialer.underWay.size + dialer.retries().length
    for (const { isGone, kind } of peers.values()) if (!isGone && kind === "private-broadcast") count++
    return count
  }

  const hasReachedTor = (): boolean => {
    for (const { endpoint, inbound, isReady } of peers.values()) {
      if (!inbound && isReady && addressKind(endpoint.address) === "onion") return true
    }
    return false
  }

  const openOne = (at: number): void => {
    const node = choose()
    if (node === undefined) {
      nextTurn = at + PAUSE.network
      if (!isUnreachable) notify.log("warn", "own transactions wait: neither Tor nor I2P is reachable")
      isUnreachable = true
    } else if (node === "nothing") {
      nextTurn = at + PAUSE.addresses
      say({ _tag: "AddressesUseless" })
    } else {
      isUnreachable = false
      dial(node)
    }
  }

  return {
    name: "private dialer",
    tickAll: () => {
      if (!demand.isTorProven() && hasReachedTor()) demand.proveTor()
      const at = machine()
      if (!isActive() || at < nextTurn) return
      dialer.tick()
      if (demand.wanted() > dialer.underWay.size && open() < PRIVATE_BROADCAST_LIMITS.connections.most) openOne(at)
    }
  }
})
