import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** Limits on the cost of a connection and on the silence of its peer. */
export const PEER_LIMITS = {
  received: {
    most: 5_000_000,
    unit: "bytes received and not handled before reading stops",
    source: "Core -maxreceivebuffer"
  },
  receivedOfAll: {
    most: 16_000_000,
    unit:
      "bytes received from all inbound peers and not handled, before the largest are not read from and the slowest is evicted",
    source: "hostile: large messages that take their time on every connection"
  },
  receivedBySmall: {
    most: 65_536,
    unit: "bytes received from a peer that is still read from",
    source: "one piece of a socket"
  },
  stuckPatience: {
    most: 5_000,
    unit: "milliseconds that a message may take before its peer may be evicted",
    source: "hostile: large messages that take their time on every connection"
  },
  pieceOverhead: {
    most: 256,
    unit: "bytes of overhead of a piece",
    source: "CVE-2015-3641: many small pieces"
  },
  unsent: {
    most: 1_000_000,
    unit: "unsent bytes before no more messages of a peer are handled",
    source: "Core -maxsendbuffer"
  },
  unsentAtAll: {
    most: 32_000_000,
    unit: "unsent bytes before a peer that does not read is disconnected",
    source: "the sum of answers of bounded size while no message is handled"
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
  keyAgreement: {
    most: 262_144,
    unit: "bytes of a message that cost as much as agreeing on keys of the v2 transport",
    source: "workOfAll"
  },
  handshake: { most: 60_000, unit: "milliseconds for a handshake", source: "Core -peertimeout" },
  silence: { most: 20 * 60_000, unit: "milliseconds without a byte or a pong", source: "Core TIMEOUT_INTERVAL" },
  pingInterval: { most: 2 * 60_000, unit: "milliseconds between pings", source: "Core PING_INTERVAL" },
  oldestVersion: {
    most: 31_800,
    unit: "lowest protocol version of a peer",
    source: "Core MIN_PEER_PROTO_VERSION"
  },
  limitedDepth: {
    most: 144,
    unit: "blocks behind the tip before a NETWORK_LIMITED peer is useless",
    source: "Core NODE_NETWORK_LIMITED_ALLOW_CONN_BLOCKS"
  }
} satisfies Readonly<Record<string, Limit>>
