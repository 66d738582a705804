import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { endsConnection, faultText } from "@lockstep/protocol/wire/fault.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import { lengthFramedTransport, lengthPrefix } from "@lockstep/protocol/wire/length-framed-transport.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import { join, toHex } from "../../src/oracles/byte-string.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import type { Random } from "../random.ts"
import { difference } from "../run/difference.ts"
import type { Seeds, Target } from "../target.ts"

/** A stream, and where it is cut on its way. */
interface Stream {
  readonly bytes: Uint8Array
  readonly cuts: ReadonlyArray<number>
}

/** Every answer to a stream as a line; a piece is overwritten as soon as it has been read. */
const heard = (transport: PeerTransport, { bytes }: Stream, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let start = 0
  for (const end of ends) {
    const piece = new Uint8Array(bytes.subarray(start, end))
    start = end
    transport.feed(piece)
    for (;;) {
      const answer = transport.read()
      if (transport.held() > 2 * end) lines.push(`holds ${transport.held()} bytes of ${end}`)
      if (answer._tag === "Failure") {
        lines.push(faultText(answer.failure))
        if (endsConnection(answer.failure)) return lines
        continue
      }
      const arrival = answer.success
      if (arrival === undefined) break
      const { bytes: taken, frame } = arrival
      lines.push(`${frame.command} ${taken} ${frame._tag === "Known" ? toHex(frame.payload) : frame.length}`)
    }
    piece.fill(0xee)
  }
  return lines
}

const lengthOf = (random: Random, frame: Uint8Array): Uint8Array => {
  if (random.oneIn(10)) return lengthPrefix(random.below(2 ** 32))
  return lengthPrefix(random.oneIn(10) ? Math.max(0, frame.length + random.below(5) - 2) : frame.length)
}

const generate = (random: Random, { messages }: Seeds): Stream => {
  const frames = Array.from({ length: 1 + random.below(4) }, () => {
    const { command, payload } = random.pick(messages)
    const name = random.oneIn(8) ? "unknown" : command
    const frame = encodeFrame(REGTEST.magic, name, payload.subarray(0, 2_000), nobleCrypto)
    const bytes = join(lengthOf(random, frame), frame)
    return random.oneIn(3) ? mutateBytes(bytes.subarray(0, 28), random, bytes) : bytes
  })
  return {
    bytes: join(...frames),
    cuts: Array.from({ length: random.below(12) }, () => random.below(random.oneIn(2) ? 34 : 4_000))
  }
}

const freshTransport = (): PeerTransport =>
  lengthFramedTransport({
    magic: REGTEST.magic,
    crypto: nobleCrypto,
    limits: DEFAULT_LIMITS,
    output: { bytes: () => undefined, message: () => undefined }
  }, "quic")

/** Bytes of a stream of QUIC: the same messages and faults however they arrive, and no memory for what has not arrived. */
export const lengthFramedTarget: Target<Stream> = {
  name: "length-framed",
  about: "messages behind their length, whole and in pieces, as QUIC and Iroh carry them",
  generate,
  judge: (stream) => {
    const { bytes, cuts } = stream
    const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) =>
      a - b
    )
    const whole = heard(freshTransport(), stream, [bytes.length])
    const held = whole.find((line) => line.startsWith("holds "))
    return held ?? difference("messages", heard(freshTransport(), stream, ends), whole)
  }
}
