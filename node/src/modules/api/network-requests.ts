import type { IpcError, PeerInfo, SyncStatus } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { parseSubnet } from "../../net/subnet.ts"
import type { NetworkService } from "../../p2p/layer/network.ts"
import { openConnections } from "../../p2p/peer/open-connections.ts"
import type { Peer } from "../../p2p/peer/peer.ts"
import { secondsOf, unixSeconds } from "../../quantities.ts"
import { engineCall, requestFailed } from "./api-call.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"

const NO_NETWORK = requestFailed("the node makes no connections, or not yet")

/** Returns the network layer for a request; fails if there is no network. */
export const networkServiceOf = ({ peers }: Pick<ModuleContext, "peers">): Effect.Effect<NetworkService, IpcError> =>
  Effect.suspend(() => {
    const network = peers()
    return network === undefined ? Effect.fail(NO_NETWORK) : Effect.succeed(network)
  })

/** Number of blocks over which the hash rate is estimated, as in Bitcoin Core's `getnetworkhashps`. */
const HASHRATE_BLOCKS = 120

const hashRate = (context: ModuleContext): Effect.Effect<number, IpcError> =>
  Effect.map(
    engineCall(context, "networkWork", { blocks: HASHRATE_BLOCKS, height: -1 }),
    ({ seconds, work }) => seconds === 0 ? 0 : Number(work) / seconds
  )

const peerInfo = ({ connectedAt, hello, name, transport }: Peer): PeerInfo => ({
  addr: name,
  transport_type: transport.kind(),
  services: hello?.services ?? 0n,
  version: hello?.ownVersion ?? 0,
  connected_since: Math.floor(connectedAt / 1_000)
})

const syncStatusOf = ({ error, percent, stage }: ReturnType<NetworkService["syncStatus"]>): SyncStatus => ({
  phase: stage,
  progress: percent / 100,
  is_synced: stage === "Synced",
  error_message: error
})

/** Longest ban in seconds: 100 years. */
const LONGEST_BAN = 100 * 365 * 24 * 60 * 60

const ban = Effect.fnUntraced(function*(context: ModuleContext, address: string, seconds: number | undefined) {
  const network = yield* networkServiceOf(context)
  const subnet = parseSubnet(address) ?? parseSubnet(address.replace(/:\d{1,5}$/, ""))
  if (subnet === undefined) return yield* Effect.fail(requestFailed(`${address} is no address`))
  const duration = seconds ?? network.banSeconds
  if (duration < 1 || duration > LONGEST_BAN) {
    return yield* Effect.fail(requestFailed(`ban_duration_seconds must be from 1 to ${LONGEST_BAN}`))
  }
  const created = secondsOf(network.time())
  if (!network.reputation.ban({ subnet, created, until: unixSeconds(created + duration) })) {
    return yield* Effect.fail({ kind: "ResourceExhausted", text: "the ban list is full" } as const)
  }
  network.disconnectBanned(subnet)
  yield* network.keepBans
})

/** Handlers of requests about peers and synchronization. */
export const NETWORK_REQUESTS: RequestHandlers<"GetNetworkStats" | "GetNetworkPeers" | "GetSyncStatus" | "BanPeer"> = {
  GetNetworkStats: (context) =>
    Effect.gen(function*() {
      const { peers, totals } = yield* networkServiceOf(context)
      const value = {
        peer_count: openConnections(peers).length,
        hash_rate: yield* hashRate(context),
        bytes_sent: totals.sent,
        bytes_received: totals.received
      }
      return { _tag: "NetworkStats", value } as const
    }),

  GetNetworkPeers: (context) =>
    Effect.map(networkServiceOf(context), ({ peers }) => ({
      _tag: "NetworkPeers",
      value: openConnections(peers).map(peerInfo)
    })),

  GetSyncStatus: (context) =>
    Effect.map(networkServiceOf(context), ({ syncStatus }) => ({
      _tag: "NodeSyncStatus",
      value: syncStatusOf(syncStatus())
    })),

  BanPeer: (context, { ban_duration_seconds, peer_addr }) =>
    Effect.as(ban(context, peer_addr, ban_duration_seconds), { _tag: "PeerBanned" })
}
