import type { FrameFault } from "@lockstep/protocol/wire/fault.ts"
import { userAgentText } from "@lockstep/protocol/wire/user-agent.ts"
import type { TraceEvent, OddPong, ReconciliationStep } from "../../runtime/trace.ts"
import { safeText } from "../process/run-command.ts"
import { coreMisbehavior, coreReason } from "./core-reasons.ts"
import { exceptionText } from "./exception-text.ts"
import type { LinesBy } from "./lines-by.ts"
import { type CoreLine, inDetail, info } from "./core-line.ts"

const SECONDS_PER_HOUR = 3_600

const net = (text: string) => [inDetail("net", text)]

/** Returns the address of a peer for a log line, or nothing unless `-logips` is set. */
const at = (address: string, showsIps: boolean): string => showsIps ? `, peeraddr=${address}` : ""

const digits = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const frameText = (fault: FrameFault): string => {
  switch (fault._tag) {
    case "BadMagic":
      return fault.isFirst === true
        ? `V2 transport error: V1 peer with wrong MessageStart ${digits(fault.found)}`
        : `Header error: Wrong MessageStart ${digits(fault.found)} received`
    case "BadCommand":
      return `Header error: Invalid message type (${
        Buffer.from(fault.field).toString("latin1")
      }, ${fault.length} bytes)`
    case "TooLarge":
      return `Header error: Size too large (${fault.command}, ${fault.length} bytes)`
    case "BadChecksum":
      return `Header error: Wrong checksum (${fault.command}, ${fault.length} bytes), expected ${
        digits(fault.computed)
      } was ${digits(fault.declared)}`
    case "AnswersInV1":
      return "V2 transport error: the peer answers with a v1 message"
    case "NoTerminator":
      return "V2 transport error: missing garbage terminator"
    case "PacketTooLarge":
      return `V2 transport error: packet too large (${fault.length} bytes)`
    case "NotAuthentic":
      return `V2 transport error: packet decryption failure (${fault.length} bytes)`
    case "BadMessageType":
      return `V2 transport error: invalid message type (${fault.length} bytes contents)`
    case "BadLength":
    case "OtherLength":
      return `QUIC transport error: invalid message length (${fault.length} bytes)`
  }
}

const PONGS = {
  short: "Short payload",
  unsolicited: "Unsolicited pong without ping",
  mismatch: "Nonce mismatch",
  zero: "Nonce zero"
} as const

const pongText = ({ bytes, expected, received, why }: OddPong): string =>
  `${PONGS[why]}, ${expected.toString(16)} expected, ${received.toString(16)} received, ${bytes} bytes`

const leftOutText = (
  { command, peer, why }: Extract<TraceEvent, { readonly _tag: "LeftOut" }>
): string => {
  if (why === "again") {
    return command === "version"
      ? `redundant version message from peer=${peer}`
      : `ignoring redundant ${command} message from peer=${peer}`
  }
  if (why === "unknown type") return `Unknown message type "${safeText(command)}" from peer=${peer}`
  return why === "before version"
    ? `non-version message before version handshake. Message "${safeText(command)}" from peer=${peer}`
    : `Unsupported message "${safeText(command)}" prior to verack from peer=${peer}`
}

const DROPPED = {
  banned: "connection from # dropped (banned)",
  discouraged: "connection from # dropped (discouraged)",
  full: "failed to find an eviction candidate - connection dropped (full)"
} as const

/** Core: `MaybeDiscourageAndDisconnect`. */
const punishedLine = (
  { isOnion, peer, punishment }: Extract<TraceEvent, { readonly _tag: "Misbehaving" }>
): CoreLine => {
  switch (punishment) {
    case "kept as noban":
      return { level: "warning", text: `Not punishing noban peer ${peer}!` }
    case "kept as manual":
      return { level: "warning", text: `Not punishing manually connected peer ${peer}!` }
    case "disconnected":
      return inDetail(
        "net",
        `Warning: disconnecting but not discouraging ${isOnion ? "inbound onion" : "local"} peer ${peer}!`
      )
    case "discouraged":
      return inDetail("net", `Disconnecting and discouraging peer ${peer}!`)
  }
}

/** Core: `ConnectDirectly`, `Socks5`. Connections that the operator requested are always logged. */
const dialLine = (
  { address, fault, isManual, isProxy, reason }: Extract<TraceEvent, { readonly _tag: "DialFailed" }>
): CoreLine => {
  const inItsLevel = (text: string): CoreLine => isManual || isProxy ? info(text) : inDetail("net", text)
  switch (fault?._tag) {
    case "ProxyUnreached":
      return info(`connect() to ${fault.proxy} failed after wait: ${fault.why}`)
    case "ProxyRefused":
      return inDetail("proxy", `Socks5() connect to ${address} failed: ${fault.answer}`)
    case "NoAnswer":
      return inItsLevel(`connection attempt to ${address} timed out`)
    case undefined:
      return inItsLevel(`connect() to ${address} failed after wait: ${reason}`)
  }
}

/** Core: `Session::Connect`. */
const i2pText = (
  { address, port, reason, router }: Extract<TraceEvent, { readonly _tag: "I2pDialFailed" }>
): string => {
  const where = `Error connecting to ${address}`
  if (port !== undefined) return `${where}, connection refused due to arbitrary port ${port}`
  return `${where}: ${router === undefined ? reason : `Cannot connect to ${router}`}`
}

const reconciling = (text: string) => [inDetail("txreconciliation", text)]

const RECONCILIATION: Record<ReconciliationStep, (peer: number, isInbound: boolean) => ReadonlyArray<CoreLine>> = {
  offered: (peer) => reconciling(`Pre-register peer=${peer}`),
  agreed: (peer, isInbound) => reconciling(`Register peer=${peer} (inbound=${isInbound ? 1 : 0})`),
  forgotten: (peer) => reconciling(`Forget txreconciliation state of peer=${peer}`),
  off: (peer) => net(`sendtxrcncl from peer=${peer} ignored, as our node does not have txreconciliation enabled`),
  unexpected: (peer) => net(`Ignore unexpected txreconciliation signal from peer=${peer}`)
}

/** Log lines about connections and their messages. */
export const OF_CONNECTIONS = {
  Received: ({ bytes, command, peer }) => net(`received: ${command} (${bytes} bytes) peer=${peer}`),
  Sent: ({ bytes, command, peer }) => net(`sending ${command} (${bytes} bytes) peer=${peer}`),
  ConnectionAdded: ({ peer }) => net(`Added connection peer=${peer}`),
  Disconnecting: ({ address, peer, reason }, showsIps) =>
    reason._tag === "ConnectedToSelf"
      ? [info(`${coreReason(reason)} at ${address}, disconnecting`)]
      : net(`${coreReason(reason)}, disconnecting peer=${peer}${at(address, showsIps)}`),
  ConnectionGone: ({ peer }) => net(`Cleared nodestate for peer=${peer}`),
  ConnectionDropped: ({ address, why }) => net(DROPPED[why].replace("#", address)),
  NetworkSwitched: ({ isActive }) => [info(`SetNetworkActive: ${isActive}`)],
  Misbehaving: (happening, showsIps) => {
    const { address, peer, what } = happening
    return [
      ...net(`Misbehaving: peer=${peer}${at(address, showsIps)}: ${coreMisbehavior(what)}`),
      punishedLine(happening)
    ]
  },
  OddPong: ({ peer, pong }) => net(`pong peer=${peer}: ${pongText(pong)}`),
  PingTimeout: ({ peer, seconds }) => net(`ping timeout: ${seconds.toFixed(6)}s, disconnecting peer=${peer}`),
  BadFrame: ({ fault, peer }) => net(`${frameText(fault)}, peer=${peer}`),
  BadPayload: ({ bytes, command, fault }) =>
    fault._tag === "TooMany"
      ? []
      : net(`ProcessMessages(${command}, ${bytes} bytes): Exception '${exceptionText(fault)}' caught`),
  Reconciliation: ({ isInbound, peer, step }) => RECONCILIATION[step](peer, isInbound),
  UnknownFeature: ({ id }) => net(`unknown feature advertised: ${userAgentText(id)}`),
  AnchorDialed: ({ address }) => net(`Trying to make an anchor connection to ${address}`),
  Dialing: ({ address, isV2, kind, unseen }) =>
    net(
      `trying ${isV2 ? "v2" : "v1"} connection (${kind}) to ${address}, lastseen=${
        (unseen / SECONDS_PER_HOUR).toFixed(1)
      }hrs`
    ),
  I2pDialFailed: (happening) => [inDetail("i2p", i2pText(happening))],
  RetriedWithV1: ({ peer }) => net(`retrying with v1 transport protocol for peer=${peer}`),
  V2HandshakeBegun: ({ peer }) => net(`start sending v2 handshake to peer=${peer}`),
  LeftOut: (happening) => net(leftOutText(happening)),
  DialFailed: (happening) => [dialLine(happening)]
} satisfies Partial<LinesBy>
