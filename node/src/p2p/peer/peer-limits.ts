import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** What a connection may cost, and how long its peer may be silent. */
export const PEER_LIMITS = {
  received: {
    most: 5_000_000,
    unit: "bytes received and not handled before reading stops",
    source: "Core -maxreceivebuffer"
  },
  receivedOfAll: {
    most: 16_000_000,
    unit:
      "bytes received of all inbound peers and not handled, before reading stops of those with much and the slowest goes",
    source: "hostile: large messages that take their time on every connection"
  },
  receivedBySmall: {
    most: 65_536,
    unit: "bytes received of a peer that is read from all the same",
    source: "one piece of a socket"
  },
  stuckPatience: {
    most: 5_000,
    unit: "milliseconds that a message may take, or not be read, before its peer makes room",
    source: "hostile: large messages that take their time on every connection"
  },
  pieceOverhead: {
    most: 256,
    unit: "bytes that a piece costs beside its own",
    source: "CVE-2015-3641: many small pieces"
  },
  unsent: {
    most: 1_000_000,
    unit: "bytes unsent before nothing more of a peer is handled",
    source: "Core -maxsendbuffer"
  },
  unsentAtAll: {
    most: 32_000_000,
    unit: "bytes unsent before a peer that does not read is let go",
    source: "what answers of bounded size can add up to while nobody serves"
  },
  workOfAll: {
    most: 128,
    unit:
      "units of work a tick for all inbound peers while the chain is behind: one for each message to or fro, and for its bytes",
    source: "hostile: requests that are cheap to make, while blocks are connected"
  },
  workSaved: {
    most: 64,
    unit: "units of work that an inbound peer can save up",
    source: "workOfAll: a request and its answer at once"
  },
  unitOfBytes: { most: 16_384, unit: "bytes of a message that cost as much as the message", source: "workOfAll" },
  handshake: { most: 60_000, unit: "milliseconds for a handshake", source: "Core -peertimeout" },
  silence: { most: 20 * 60_000, unit: "milliseconds without a byte or a pong", source: "Core TIMEOUT_INTERVAL" },
  pingInterval: { most: 2 * 60_000, unit: "milliseconds between pings", source: "Core PING_INTERVAL" },
  oldestVersion: {
    most: 31_800,
    unit: "protocol version that is spoken with at least",
    source: "Core MIN_PEER_PROTO_VERSION"
  },
  limitedDepth: {
    most: 144,
    unit: "blocks behind before a peer with the last blocks only is no use",
    source: "Core NODE_NETWORK_LIMITED_ALLOW_CONN_BLOCKS"
  }
} satisfies Readonly<Record<string, Limit>>
