import { type UnixMilliseconds, unixMilliseconds } from "../../quantities.ts"
import type { ConnectionPlace, PeerPermissions } from "../../net/peer-permissions.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Connection } from "../transport/transport.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { Misbehavior } from "../../runtime/misbehavior.ts"
import type { PeerTransport, TransportOutput } from "@lockstep/protocol/wire/peer-transport.ts"
import type { PeerVersion, Latency, Peer, PeerKind, Traffic } from "./peer.ts"
import { mostUnsent, PEER_BUFFERS, type PeerBuffers } from "./peer-buffers.ts"
import { pendingWork } from "./pending-work.ts"

/** Functions of the host that a live peer needs. */
export interface PeerSurroundings {
  readonly now: () => UnixMilliseconds
  /** Called when bytes were sent. */
  readonly sentBytes: (count: number) => void
  /** Called when a message was sent; `bytes` includes its frame. */
  readonly sent: (peer: LivePeer, command: string, bytes: number) => void
  /** Called before a message is sent. */
  readonly sending: (peer: LivePeer, command: string, payload: Uint8Array) => void
  readonly discourage: (peer: LivePeer, what: Misbehavior) => void
  /** Reports whether a message may be sent; otherwise it is dropped. */
  readonly maySend: (peer: LivePeer, command: string) => boolean
  /** Called before this node ends the connection. */
  readonly disconnecting: (peer: LivePeer, reason: DisconnectReason) => void
  readonly trusts: (address: NetworkAddress) => boolean
  readonly permits: (place: ConnectionPlace) => PeerPermissions
  /** Buffer limits; Bitcoin Core's by default. */
  readonly buffers?: PeerBuffers | undefined
}

/** The way in which a connection was opened. */
export interface Opening {
  readonly kind: PeerKind
  /** The node to connect to, as the operator wrote it. */
  readonly writtenAs?: string | undefined
  /** Makes the transport for this peer's messages. */
  readonly transport: (peer: LivePeer, output: TransportOutput) => PeerTransport
}

/** A bound on the work done for a peer. */
export interface WorkBound {
  /** Charges work on that many bytes. */
  readonly charge: (bytes: number) => void
  readonly isSpent: () => boolean
}

const UNBOUNDED: WorkBound = { charge: () => {}, isSpent: () => false }

const NEVER = unixMilliseconds(0)

/** Makes the counters of a new connection. */
export const noTraffic = (): Traffic => ({
  bytesSent: 0,
  bytesReceived: 0,
  lastSend: NEVER,
  lastReceive: NEVER,
  lastBlock: NEVER,
  lastTransaction: NEVER,
  sentPerCommand: new Map(),
  receivedPerCommand: new Map()
})

/** Adds to a counter in a table. */
export const addToCounter = (table: Map<string, number>, name: string, more: number): void => {
  table.set(name, (table.get(name) ?? 0) + more)
}

/** A peer on a connection. */
export class LivePeer implements Peer {
  readonly id: number
  readonly kind: PeerKind
  readonly inbound: boolean
  readonly endpoint: Peer["endpoint"]
  readonly local: Peer["local"]
  readonly network: Peer["network"]
  readonly name: string
  readonly writtenAs: string | undefined
  readonly connectedAt: UnixMilliseconds
  readonly isTrusted: boolean
  readonly permissions: PeerPermissions
  hello: PeerVersion | undefined = undefined
  isReady = false
  isGone = false
  readonly traffic: Traffic = noTraffic()
  readonly latency: Latency = { last: undefined, least: undefined, waitingSince: undefined }
  readonly blocks = pendingWork()
  readonly downloads = pendingWork()
  hasDownloads = false
  readonly announcements = pendingWork()
  /** The reason for its disconnection, once disconnected. */
  reason: DisconnectReason | undefined = undefined
  work: WorkBound = UNBOUNDED
  readonly transport: PeerTransport
  private readonly connection: Connection
  private readonly around: PeerSurroundings
  private readonly buffers: PeerBuffers

  constructor(id: number, connection: Connection, around: PeerSurroundings, opening: Opening) {
    this.id = id
    this.kind = opening.kind
    this.inbound = opening.kind === "inbound"
    this.endpoint = connection.remote
    this.local = connection.local
    this.network = connection.network
    this.name = endpointText(connection.remote)
    this.writtenAs = opening.writtenAs
    this.connectedAt = around.now()
    const { address } = connection.remote
    const { local, network } = connection
    this.permissions = around.permits({ address, local, inbound: this.inbound, network })
    this.isTrusted = this.permissions.has("noban") || (network === undefined && around.trusts(address))
    this.connection = connection
    this.around = around
    this.buffers = around.buffers ?? PEER_BUFFERS
    this.transport = opening.transport(this, { bytes: this.sentBytes, message: this.sentMessage })
  }

  readonly send = (message: Message): void => {
    if (!this.isGone) this.sendPayload(message.command, encodeMessage(message))
  }

  readonly sendOwned = (message: Message): void => {
    if (!this.isGone) this.sendPayload(message.command, encodeMessage(message), true)
  }

  /** Sends a payload unchanged. `isOwned` means that the buffer has no other owner. */
  readonly sendPayload = (command: string, payload: Uint8Array, isOwned = false): void => {
    if (this.isGone || !this.around.maySend(this, command)) return
    this.around.sending(this, command, payload)
    this.transport.send(command, payload, isOwned)
    // The peer requests far more than it reads.
    if (this.connection.unsent() > mostUnsent(this.buffers)) this.disconnect({ _tag: "AnswersNotRead" })
  }

  readonly unsent = (): number => this.isGone ? 0 : this.connection.unsent()

  readonly hasRoom = (): boolean => this.unsent() <= this.buffers.unsent && !this.work.isSpent()

  readonly disconnect = (reason: DisconnectReason): void => {
    if (this.isGone) return
    this.isGone = true
    this.reason = reason
    this.around.disconnecting(this, reason)
    this.connection.close()
  }

  readonly discourage = (what: Misbehavior): void => {
    if (!this.isGone) this.around.discourage(this, what)
  }

  private readonly sentBytes = (bytes: Uint8Array, isOwned: boolean): void => {
    const { around, connection, traffic } = this
    // Sending may transfer the bytes.
    const size = bytes.length
    connection.send(bytes, isOwned)
    traffic.bytesSent += size
    traffic.lastSend = around.now()
    around.sentBytes(size)
  }

  private readonly sentMessage = (command: string, bytes: number): void => {
    addToCounter(this.traffic.sentPerCommand, command, bytes)
    this.work.charge(bytes)
    this.around.sent(this, command, bytes)
  }
}
