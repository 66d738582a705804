import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { subscription } from "../../finalizers/finalizers.ts"
import { type AddressesPart, addressesPart } from "../addresses/addresses-part.ts"
import { connectedAddresses } from "../addresses/connected-addresses.ts"
import { udpGossip } from "../addresses/udp/udp-gossip.ts"
import { type Broadcasts, broadcasts } from "../broadcasts/broadcasts.ts"
import { compactForms } from "../sync/compact-blocks/compact-forms.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { OwnAddress } from "../addresses/own-address.ts"
import { makePrivateBroadcast, type RunningPrivateBroadcast } from "../private-broadcast/private-broadcast.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { P2pOptions } from "./p2p-options.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import { type Session, session } from "../peer/session/session.ts"
import { type BlockAnnouncePreferences, blockAnnouncePreferences } from "../relay/block-announce-preferences.ts"
import { makeRelay, type Relay } from "../relay/relay.ts"
import { type Serving, serving } from "../serving/serving.ts"
import { makeSync, type Sync } from "../sync/sync-part.ts"

/** Inputs of the parts. */
export interface PartsOptions {
  readonly context: P2pContext
  readonly options: P2pOptions
  /** True if the address is banned or discouraged, so that it is not relayed. */
  readonly isShunned: (address: NetworkAddress) => boolean
  readonly ownAddresses: () => ReadonlyArray<OwnAddress>
  /** Returns the endpoints at which this node advertises itself over QUIC and Iroh. */
  readonly ownUdp: () => ReadonlyArray<Endpoint>
}

/** The parts of the network layer. */
export interface NetworkParts {
  readonly sync: Sync
  readonly relay: Relay
  readonly preferences: BlockAnnouncePreferences
  readonly sessions: Session
  readonly addresses: AddressesPart
  readonly serves: Serving
  /** `undefined` if own transactions go to all peers. */
  readonly privately: RunningPrivateBroadcast | undefined
  /** All of them, in the order in which they are notified of a ready peer. */
  readonly inOrder: ReadonlyArray<PeerPart>
}

/** Announces each new tip. It subscribes after the sync, which queues the announcements for each peer. */
const announceTips = (
  { chain }: P2pContext,
  sync: Sync,
  { begin }: Broadcasts
): Effect.Effect<void, never, Scope.Scope> =>
  subscription(() =>
    chain.listen({
      tip: ({ hash }, _fork, initialBlockDownload) => {
        if (initialBlockDownload) return
        begin("block", hash, ({ id }) => (sync.state.peers.get(id)?.announcements.length ?? 0) > 0)
        sync.sendOnNewTip()
      }
    })
  )

/** Makes the parts of the network layer, each from the previous ones. They end with the scope. */
export const makeParts = Effect.fnUntraced(function*(
  { context, isShunned, options, ownAddresses, ownUdp }: PartsOptions
): Effect.fn.Return<NetworkParts, never, Scope.Scope> {
  const { chain } = context
  const { book } = options.saved
  const privately = options.privateTransport && (yield* makePrivateBroadcast(context, options))
  const broadcastsPart = broadcasts(context)
  const preferences = blockAnnouncePreferences()
  const forms = yield* compactForms(context)
  const sync = yield* makeSync(context, options.download, {
    preferences,
    forms,
    isOn: options.wantsTransactions
  })
  const relay = yield* makeRelay(context, {
    blocksAnnounced: sync.blocksAnnounced,
    blocksNotFound: sync.blocksNotFound,
    wantsTransactions: options.wantsTransactions,
    takesNonStandard: options.takesNonStandard,
    broadcast: (txid, isWaiting) => broadcastsPart.begin("transaction", txid, isWaiting),
    received: privately?.received,
    dandelion: options.dandelion,
    relaysPackages: options.relaysPackages,
    wantedFeerate: { pool: () => chain.poolRate?.() ?? 0, least: options.minRelayFee }
  })
  yield* announceTips(context, sync, broadcastsPart)
  const { peerTimeout, reconciles, relaysPackages, userAgent, wantsTransactions } = options
  const knowsUdpAddresses = options.udp !== undefined
  const versionInfo = { userAgent, wantsTransactions, relaysPackages, reconciles, peerTimeout, knowsUdpAddresses }
  const sessions = session(context, versionInfo, (peer, services) => {
    if (!peer.inbound) book.services(peer.endpoint, services)
  })
  const addresses = addressesPart({
    context,
    book,
    reachable: options.reachable,
    isShunned,
    own: (peer) => options.advertised(ownAddresses(), peer),
    udp: options.udp === undefined ? undefined : udpGossip({ book: options.udp.book, own: ownUdp })
  })
  const serves = serving(context, {
    forms,
    headersSent: sync.headersSent,
    transactionFor: relay.transactionFor,
    isAnnouncedTo: relay.isAnnouncedTo,
    relaysTo: relay.relaysTo,
    filterOf: relay.filterOf,
    announcePool: relay.announcePool,
    uploadTarget: options.uploadTarget
  })
  return {
    sync,
    relay,
    preferences,
    sessions,
    addresses,
    serves,
    privately,
    inOrder: [
      addresses,
      sessions,
      sync.part,
      preferences.part,
      relay.part,
      serves,
      connectedAddresses(book),
      broadcastsPart,
      ...privately === undefined ? [] : [privately.part]
    ]
  }
})
