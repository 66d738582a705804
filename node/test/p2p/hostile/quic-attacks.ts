import { concatBytes } from "@lockstep/kernel/bytes"
import { lengthPrefix } from "@lockstep/protocol/wire/length-framed-transport.ts"
import { PREAMBLE } from "../../../src/p2p/transport/quic/quic-preamble.ts"
import type { Random } from "../../crash/random.ts"
import { framed, framedPayload, versionAs } from "../sockets/regtest-wire.ts"
import type { Attack } from "./attack.ts"

/** What one hostile connection over QUIC does. Opening and flood go over its one stream, if they are not empty. */
export interface QuicAttack extends Attack {
  /** Nothing that the node says arrives, so that the handshake of QUIC never ends. */
  readonly isUnfinished?: boolean
  /** It opens stream after stream, each with this, beside the first one. */
  readonly streams?: Uint8Array
}

const bytesOf = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256))

/** Bytes behind a length, as messages are carried over QUIC. */
const behindLength = (bytes: Uint8Array, length = bytes.length): Uint8Array =>
  concatBytes([lengthPrefix(length), bytes])

/** The largest message that a peer may send: its frame, of which the payload is still to come. */
const LARGEST = 4_000_000

/** Attacks on a node that listens over QUIC; `attacks` are those over TCP, whose messages it gets behind their lengths. */
export const quicAttacksOf = (random: Random, attacks: ReadonlyArray<Attack>): ReadonlyArray<QuicAttack> => {
  const hello = [
    framed(versionAs("hostile-quic", BigInt(random.below(2 ** 31) + 1))),
    framed({ command: "verack" })
  ].map((bytes) => behindLength(bytes))
  const opening = [PREAMBLE, ...hello]
  const promise = framedPayload("block", new Uint8Array(0)).slice()
  new DataView(promise.buffer).setUint32(16, LARGEST, true)
  const floods = attacks.filter(({ what }) => /^(floods of|small messages)/.test(what)).flatMap(({ flood }) => flood)
  return [
    { what: "quic: handshakes that are never finished", opening: [], flood: [], isUnfinished: true },
    { what: "quic: no stream", opening: [], flood: [] },
    { what: "quic: half of a preamble", opening: [PREAMBLE.slice(0, 4)], flood: [] },
    { what: "quic: another protocol", opening: [bytesOf(random, 64)], flood: [bytesOf(random, 1_000)] },
    { what: "quic: a stream and nothing more", opening: [PREAMBLE], flood: [] },
    { what: "quic: a handshake of five bytes a second", opening: [PREAMBLE], flood: hello, pace: 5 },
    { what: "quic: a length of 4 GB", opening: [PREAMBLE, lengthPrefix(0xffff_ffff)], flood: [bytesOf(random, 256)] },
    { what: "quic: a length of nothing", opening: [...opening, lengthPrefix(0)], flood: [bytesOf(random, 256)] },
    {
      what: "quic: a length that is not the message's",
      opening,
      flood: [behindLength(framed({ command: "ping", nonce: 1n }), 1_000)]
    },
    {
      what: "quic: the largest block, slowly",
      opening: [...opening, lengthPrefix(promise.length + LARGEST), promise],
      flood: [new Uint8Array(1_000)]
    },
    {
      what: "quic: frames of garbage",
      opening,
      flood: [behindLength(framed({ command: "ping", nonce: 1n })), behindLength(bytesOf(random, 500))]
    },
    { what: "quic: floods of messages", opening, flood: floods.map((bytes) => behindLength(bytes)) },
    { what: "quic: floods of streams", opening, flood: [], streams: PREAMBLE },
    { what: "quic: comes and goes", opening: [PREAMBLE], flood: [], leaves: true }
  ]
}
