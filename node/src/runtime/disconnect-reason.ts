import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { faultText, type FrameFault } from "@lockstep/protocol/wire/fault.ts"
import { displayHash } from "../hex.ts"
import type { Milliseconds, Seconds } from "../quantities.ts"
import { type BadPayload, type Misbehavior, misbehaviorText } from "./misbehavior.ts"
import { type Plain, worder, type Words } from "./words.ts"

/** Reasons without facts, with their words. */
const WITHOUT_FACTS = {
  AddrFetchCompleted: "addrfetch connection completed",
  AddrFetchTimeout: "addrfetch connection timeout",
  AddressBanned: "the address is banned",
  AncestorsNotRequested: "ancpkginfo that was not requested",
  AnswersNotRead: "does not read its answers",
  BlockBelowLimit: "it asks for blocks below what a limited node serves",
  BlockDownloadTimeout: "block download timeout",
  BlockStalling: "stalls the block download",
  BlockUnreadable: "a requested block cannot be read",
  BlocksNotSent: "does not send requested blocks",
  ChainSyncTimeout: "chain sync timeout",
  ChainWorkTooLow: "outbound peer headers chain has insufficient work",
  ConnectedToSelf: "connected to self",
  EvictedBeforeHandshake: "evicted before the handshake",
  EvictedForAnother: "evicted for another peer",
  ExtraBlockRelayPeer: "one peer for blocks too many",
  ExtraOutboundPeer: "one outbound peer too many",
  FeatureInvalid: "invalid feature payload",
  FeelerCompleted: "feeler connection completed",
  ForeignBranch: "it follows a branch with less work",
  ForeignHeaders: "it follows a chain with headers of another format",
  GetDataOfNotFoundType: "getdata for what only notfound may name",
  HandshakeTimeout: "version handshake timeout",
  HandshakeTimeoutV2: "V2 handshake timeout",
  HeadersTimeout: "it took too long to send headers",
  HeadersUnanswered: "it left requests for headers unanswered",
  HistoricalBlockLimit: "historical block serving limit reached",
  IncompleteMessage: "incomplete message while the receive budget is used up",
  InternalError: "internal error",
  MempoolRequestOverLimit: "mempool request with bandwidth limit reached",
  MempoolRequestWithoutBloom: "mempool request with bloom filters disabled",
  NetworkOff: "the network is switched off",
  NodeStopping: "the node is stopping",
  OperatorRequest: "disconnected by the operator",
  PackageAnnounced: "inv that names a package",
  PingTimeout: "ping timeout",
  PrivateNoRelay: "does not support transaction relay (connected in vain)",
  PrivateNothingToSend: "no more transactions for private broadcast (connected in vain)",
  PrivateRequestEarly: "got GETDATA without sending an INV",
  PrivateRequestOther: "got an unexpected GETDATA message",
  PrivateSendConfirmed: "got a PONG (the transaction will probably reach the network)",
  ReconciliationRepeated: "txreconciliation protocol violation (sendtxrcncl received from already registered peer)",
  ReconciliationVersion: "txreconciliation protocol violation",
  ReconciliationWithoutOurRelay: "sendtxrcncl received to which we indicated no tx relay",
  ReconciliationWithoutTheirRelay: "sendtxrcncl received which indicated no tx relay to us",
  TransactionSent: "transaction sent in violation of protocol"
} as const

/**
 * Reason why a connection to a peer ends. It is plain data, which sinks put into words. Bytes are copies, since the
 * message that they came in is released with the connection.
 */
export type DisconnectReason =
  | { readonly _tag: "Misbehaved"; readonly what: Misbehavior }
  | BadPayload
  | { readonly _tag: "BadFrame"; readonly fault: FrameFault }
  /** The other side or the network ended it, in the words of the transport. */
  | { readonly _tag: "ConnectionEnded"; readonly why: string }
  /** A message that belongs between `version` and `verack` came after them. */
  | { readonly _tag: "AfterVerack"; readonly command: Command }
  | { readonly _tag: "BloomNotOffered"; readonly command: Command }
  | { readonly _tag: "FeatureBeforeItsVersion"; readonly version: number }
  | { readonly _tag: "FilterBlockInvalid"; readonly hash: Uint8Array }
  | { readonly _tag: "FilterRangeInvalid"; readonly start: number; readonly stop: number }
  | { readonly _tag: "FilterTypeUnsupported"; readonly filterType: number }
  | { readonly _tag: "FiltersTooMany"; readonly count: number; readonly most: number }
  /** Nothing was sent, or nothing received, since the connection began. */
  | {
    readonly _tag: "NoFirstMessage"
    readonly patience: Milliseconds
    readonly wasReceived: boolean
    readonly wasSent: boolean
  }
  | { readonly _tag: "ObsoleteVersion"; readonly version: number }
  | { readonly _tag: "PrivateSendOverdue"; readonly seconds: Seconds }
  | { readonly _tag: "ServicesMissing"; readonly offered: bigint; readonly expected: bigint }
  | { readonly _tag: "SocketSilent"; readonly what: "receive" | "sending"; readonly silence: Milliseconds }
  /** A transaction was announced by a peer that may send none. */
  | { readonly _tag: "TransactionAnnounced"; readonly hash: Uint8Array }
  | Plain<keyof typeof WITHOUT_FACTS>

/** Services as eight hexadecimal digits or more. */
const flags = (services: bigint): string => services.toString(16).padStart(8, "0")

/** Words of events and of the node's own log, most of which are Bitcoin Core's. */
export const DISCONNECT_WORDS: Words<DisconnectReason> = {
  ...WITHOUT_FACTS,
  AfterVerack: ({ command }) => `${command} received after verack`,
  BadFrame: ({ fault }) => faultText(fault),
  BadPayload: misbehaviorText,
  BloomNotOffered: ({ command }) => `${command} received despite not offering bloom services`,
  ConnectionEnded: ({ why }) => why,
  FeatureBeforeItsVersion: ({ version }) => `feature received with incompatible version ${version}`,
  FilterBlockInvalid: ({ hash }) => `peer requested invalid block hash: ${displayHash(hash)}`,
  FilterRangeInvalid: ({ start, stop }) =>
    `peer sent invalid getcfilters/getcfheaders with start height ${start} and stop height ${stop}`,
  FilterTypeUnsupported: ({ filterType }) => `peer requested unsupported block filter type: ${filterType}`,
  FiltersTooMany: ({ count, most }) => `peer requested too many cfilters/cfheaders: ${count} / ${most}`,
  Misbehaved: ({ what }) => misbehaviorText(what),
  NoFirstMessage: ({ patience, wasReceived, wasSent }) =>
    `socket no message in first ${patience / 1_000} seconds` +
    `${wasReceived ? "" : ", never received from peer"}${wasSent ? "" : ", never sent to peer"}`,
  ObsoleteVersion: ({ version }) => `peer using obsolete version ${version}`,
  PrivateSendOverdue: ({ seconds }) => `did not complete the transaction send within ${seconds} seconds`,
  ServicesMissing: ({ expected, offered }) =>
    `peer does not offer the expected services (${flags(offered)} offered, ${flags(expected)} expected)`,
  SocketSilent: ({ silence, what }) => `socket ${what} timeout: ${Math.floor(silence / 1_000)}s`,
  TransactionAnnounced: ({ hash }) => `transaction (${displayHash(hash)}) inv sent in violation of protocol`
}

/** Returns the reason why a connection ended in words, for events and the log. */
export const disconnectText = worder(DISCONNECT_WORDS)
