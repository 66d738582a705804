import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { endsConnection, faultText } from "@lockstep/protocol/wire/fault.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import { feed, type FrameReader, frameReader, heldBytes, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
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

const freshReader = (): FrameReader => frameReader(REGTEST.magic, nobleCrypto)

/** Every answer to a stream as a line, and whether the reader ever held more than twice what it was given. */
const heard = (reader: FrameReader, bytes: Uint8Array, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let start = 0
  for (const end of ends) {
    feed(reader, bytes.subarray(start, end))
    start = end
    for (;;) {
      const answer = readFrame(reader)
      if (heldBytes(reader) > 2 * end) lines.push(`holds ${heldBytes(reader)} bytes of ${end}`)
      if (answer._tag === "Failure") {
        lines.push(faultText(answer.failure))
        if (endsConnection(answer.failure)) return lines
        continue
      }
      const frame = answer.success
      if (frame === undefined) break
      lines.push(`${frame.command} ${frame._tag === "Known" ? toHex(frame.payload) : frame.length}`)
    }
  }
  return lines
}

const generate = (random: Random, { messages }: Seeds): Stream => {
  const frames = Array.from({ length: 1 + random.below(4) }, () => {
    const { command, payload } = random.pick(messages)
    const frame = encodeFrame(
      REGTEST.magic,
      random.oneIn(8) ? "unknown" : command,
      payload.subarray(0, 2_000),
      nobleCrypto
    )
    return random.oneIn(2) ? mutateBytes(frame.subarray(0, 24), random, frame) : frame
  })
  return {
    bytes: join(...frames),
    cuts: Array.from({ length: random.below(12) }, () => random.below(random.oneIn(2) ? 30 : 4_000))
  }
}

/** Bytes of a connection: the same frames and faults however they arrive, and no memory for what has not arrived. */
export const wireFramesTarget: Target<Stream> = {
  name: "wire-frames",
  about: "streams of frames, whole and in pieces",
  generate,
  judge: ({ bytes, cuts }) => {
    const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) =>
      a - b
    )
    const whole = heard(freshReader(), bytes, [bytes.length])
    const held = whole.find((line) => line.startsWith("holds "))
    return held ?? difference("frames", heard(freshReader(), bytes, ends), whole)
  }
}
