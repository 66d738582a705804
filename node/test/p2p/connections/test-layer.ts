import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { assembleP2p, type P2p } from "../../../src/p2p/layer/assemble.ts"
import type { P2pOptions } from "../../../src/p2p/layer/p2p-options.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { slotsOf } from "../../../src/p2p/connections/slots.ts"
import { resolveNothing } from "../../../src/p2p/connections/system-resolve.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { virtualClock, type VirtualClock } from "../../../src/p2p/transport/virtual/virtual-clock.ts"
import { virtualNetwork, type VirtualNetwork } from "../../../src/p2p/transport/virtual/virtual-network.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { stillChain } from "../peer/still-chain.ts"
import type { Observed } from "../peer/test-host.ts"
import { endpoint } from "../transport/transport-suite.ts"

export interface TestLayerOptions {
  readonly network?: Network
  readonly chain?: P2pChain
  /** Of all the layer draws. With the default one no extra block-relay-only peer is due within the first minute. */
  readonly seed?: number
  readonly maximum?: number
  readonly target?: number
  readonly options?: Partial<P2pOptions>
}

/** A whole network layer at 1.0.0.1 of a network within the process, and what it reported. */
export interface TestLayer extends P2p {
  readonly clock: VirtualClock
  readonly world: VirtualNetwork
  readonly events: Array<Observed>
  readonly lines: Array<Observed>
  /** What the log of Bitcoin Core has lines for. */
  readonly traced: Array<TraceEvent>
}

export const NODE = endpoint("1.0.0.1:18444")

export const testLayer = Effect.fnUntraced(function*(
  { chain = stillChain(), maximum = 40, network = REGTEST, options, seed = 8, target }: TestLayerOptions = {}
): Effect.fn.Return<TestLayer, unknown, Scope.Scope> {
  const clock = virtualClock(1_700_193_573_000)
  const random = seededRandom(seed)
  const environment = { now: clock.now, random }
  const world = virtualNetwork({ clock, random })
  const events: Array<Observed> = []
  const lines: Array<Observed> = []
  const traced: Array<TraceEvent> = []
  const p2p = yield* assembleP2p({
    network,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    environment,
    chain,
    notify: {
      trace: (happening) => void traced.push(happening),
      event: (type, payload) => void events.push({ what: type, about: payload as Observed["about"] }),
      log: (level, message, fields) => void lines.push({ what: `${level}: ${message}`, about: fields ?? {} })
    },
    transport: world.transport(NODE.address),
    reachable: new Set(["ipv4", "ipv6"]),
    resolve: resolveNothing,
    seeding: { names: [], built: [] },
    slots: slotsOf(maximum, target),
    persistent: [],
    saved: { book: addressBook(environment), bans: [], anchors: [] },
    download: {
      blocksPerRequest: 16,
      blocksPerPeer: 16,
      fromOnePeer: false,
      downloadTimeout: 30_000,
      headersTimeout: 30_000,
      headersFailures: 10
    },
    userAgent: "/Lockstep:0.0.0/",
    wantsTransactions: true,
    minRelayFee: 100n,
    uploadTarget: 0,
    listen: NODE,
    mustListen: true,
    advertised: () => undefined,
    ownAddresses: () => [],
    reach: () =>
      (["ipv4", "ipv6", "onion", "i2p", "cjdns"] as const).map((name) => ({
        name,
        isReachable: name.startsWith("ip"),
        proxy: "",
        isIsolated: false
      })),
    messagesHaveSubscribers: () => false,
    ...options
  })
  return { ...p2p, clock, world, events, lines, traced }
})
