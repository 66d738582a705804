import type { FrameFault } from "@lockstep/protocol/wire/fault.ts"
import type { Happening, OddPong } from "../../runtime/trace.ts"
import type { CoreLine } from "./core-line.ts"

const net = (text: string): CoreLine => ({ level: "debug", category: "net", text })

/** Reasons that Bitcoin Core has other words for. */
const REASONS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^protocol version (\d+) is too old$/, "using obsolete version $1"],
  [/^stalls the block download$/, "Peer is stalling block download"],
  [/^block download timeout$/, "Timeout downloading block"],
  [/^the address is banned$/, "dropped (banned)"]
]

const reasonText = (reason: string): string => {
  const known = REASONS.find(([pattern]) => pattern.test(reason))
  return known === undefined ? reason : reason.replace(known[0], known[1])
}

/** The address of a peer, where the operator wants it shown. */
const at = (address: string, showsIps: boolean): string => showsIps ? `, peeraddr=${address}` : ""

const digits = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const frameText = (fault: FrameFault): string => {
  switch (fault._tag) {
    case "BadMagic":
      return `Header error: Wrong MessageStart ${digits(fault.found)} received`
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

const leftOutText = (command: string, why: "again" | "before verack" | "before version", peer: number): string => {
  if (why === "again") return `redundant version message from peer=${peer}`
  return why === "before version"
    ? `non-version message before version handshake. Message "${command}" from peer=${peer}`
    : `Unsupported message "${command}" prior to verack from peer=${peer}`
}

/** The lines of `debug.log` for what happens in detail. */
export const linesOfHappening = (happening: Happening, showsIps: boolean): ReadonlyArray<CoreLine> => {
  switch (happening._tag) {
    case "Received":
      return [net(`received: ${happening.command} (${happening.bytes} bytes) peer=${happening.peer}`)]
    case "Sent":
      return [net(`sending ${happening.command} (${happening.bytes} bytes) peer=${happening.peer}`)]
    case "ConnectionAdded":
      return [net(`Added connection peer=${happening.peer}`)]
    case "ConnectionGone": {
      const { address, peer, reason } = happening
      return [
        net(`${reasonText(reason)}, disconnecting peer=${peer}${at(address, showsIps)}`),
        net(`Cleared nodestate for peer=${peer}`)
      ]
    }
    case "Misbehaving":
      return [net(`Misbehaving: peer=${happening.peer}${at(happening.address, showsIps)}: ${happening.reason}`)]
    case "OddPong":
      return [net(`pong peer=${happening.peer}: ${pongText(happening.pong)}`)]
    case "PingTimeout":
      return [net(`ping timeout: ${happening.seconds.toFixed(6)}s, disconnecting peer=${happening.peer}`)]
    case "BadFrame":
      return [net(`${frameText(happening.fault)}, peer=${happening.peer}`)]
    case "BadPayload":
      return [
        net(
          `ProcessMessages(${happening.command}, ${happening.bytes} bytes): Exception '${happening.why}' caught`
        )
      ]
    case "LeftOut":
      return [net(leftOutText(happening.command, happening.why, happening.peer))]
    case "RpcCall":
      return [{
        level: "debug",
        category: "rpc",
        text: `ThreadRPCServer method=${happening.method} user=${happening.user} id=${happening.id}`
      }]
  }
}
