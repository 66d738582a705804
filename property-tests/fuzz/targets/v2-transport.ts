import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { endsConnection, faultText } from "@lockstep/protocol/wire/fault.ts"
import type { PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import { join, toHex } from "../../src/oracles/byte-string.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import type { Random } from "../random.ts"
import { difference } from "../run/difference.ts"
import type { Seeds, Target } from "../target.ts"
import { responder, streamOf } from "./v2-stream.ts"

/** A stream, and where it is cut on its way. */
interface Stream {
  readonly bytes: Uint8Array
  readonly cuts: ReadonlyArray<number>
}

/** A key, the most garbage and a terminator: nothing else is held of a peer that is not authenticated. */
const MOST_UNKNOWN = 64 + 4_095 + 16

const heldTooMuch = (transport: PeerTransport, given: number): string | undefined => {
  const held = transport.held()
  const most = transport.kind() === "detecting" ? MOST_UNKNOWN : 2 * given
  return held > most ? `holds ${held} bytes of ${given}` : undefined
}

/** Every answer to a stream as a line; a piece is taken away as soon as it has been read. */
const heard = (transport: PeerTransport, { bytes }: Stream, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let start = 0
  for (const end of ends) {
    const piece = new Uint8Array(bytes.subarray(start, end))
    start = end
    transport.feed(piece)
    for (;;) {
      const answer = transport.read()
      if (answer._tag === "Failure") {
        lines.push(faultText(answer.failure))
        if (endsConnection(answer.failure)) return lines
      } else if (answer.success === undefined) break
      else {
        const { bytes: taken, frame } = answer.success
        lines.push(`${frame.command} ${frame._tag === "Known" ? toHex(frame.payload) : frame.length} ${taken}`)
      }
    }
    const held = heldTooMuch(transport, end)
    if (held !== undefined) lines.push(held)
    piece.buffer.transfer(0)
  }
  return [...lines, transport.kind()]
}

const generate = (random: Random, seeds: Seeds): Stream => {
  const whole = random.oneIn(12) ? join(REGTEST.magic, random.bytes(200)) : streamOf(random, seeds)
  return {
    bytes: random.oneIn(2) ? mutateBytes(whole, random, whole) : whole,
    cuts: Array.from({ length: random.below(12) }, () => random.below(random.oneIn(2) ? 100 : 6_000))
  }
}

/** Bytes of an encrypted connection: the same messages and faults however they arrive, and little memory for a peer before authentication. */
export const v2TransportTarget: Target<Stream> = {
  name: "v2-transport",
  about: "streams of the v2 transport from the first byte on, whole and in pieces",
  generate,
  judge: (stream) => {
    const { bytes, cuts } = stream
    const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) =>
      a - b
    )
    const inPieces = heard(responder(), stream, ends)
    const held = inPieces.find((line) => line.startsWith("holds "))
    return held ?? difference("messages", inPieces, heard(responder(), stream, [bytes.length]))
  }
}
