import {
  decodeModuleMessage,
  encodeModuleFrame,
  encodeModuleMessage,
  feedModuleFrames,
  heldModuleBytes,
  MAX_MODULE_MESSAGE_BYTES,
  moduleFrameReader,
  moduleIpcFaultText,
  type ModuleMessage,
  readModuleFrame
} from "@lockstep/protocol/module-ipc/index.ts"
import type { FieldShapes, ScalarKind, Shape } from "@lockstep/protocol/module-ipc/layout/layout.ts"
import { moduleMessage } from "@lockstep/protocol/module-ipc/message.ts"
import { join } from "../../src/oracles/byte-string.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import type { Random } from "../random.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

/** A module's stream, and where it is cut on its way. */
interface Stream {
  readonly bytes: Uint8Array
  readonly cuts: ReadonlyArray<number>
}

const TEXTS = ["", "a", "get_info", "é", "\u{10ffff}", "../data", "0"]
const NUMBERS = [0, 1, 2, 255, 0xffff_ffff, 2 ** 32, Number.MAX_SAFE_INTEGER]

const SCALARS: Readonly<Record<ScalarKind, (random: Random) => unknown>> = {
  bool: (random) => random.oneIn(2),
  u8: (random) => random.below(256),
  i32: (random) => random.below(0xffff_ffff) | 0,
  u32: (random) => random.below(0xffff_ffff),
  u64: (random) => BigInt(random.pick(NUMBERS)),
  count: (random) => random.pick(NUMBERS),
  f64: (random) => random.pick(NUMBERS),
  text: (random) => random.pick(TEXTS),
  bytes: (random) => random.bytes(random.below(12)),
  hash: (random) => random.bytes(32)
}

const fieldsOf = (random: Random, fields: FieldShapes): object =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, valueOf(random, shape)]))

const some = <A>(random: Random, make: () => A): ReadonlyArray<A> => Array.from({ length: random.below(3) }, make)

/** A value of a layout. */
const valueOf = (random: Random, shape: Shape): unknown => {
  switch (shape.kind) {
    case "option":
      return random.oneIn(2) ? undefined : valueOf(random, shape.of)
    case "list":
      return some(random, () => valueOf(random, shape.of))
    case "map":
      return new Map(some(random, () => [random.pick(TEXTS), valueOf(random, shape.of)] as const))
    case "names":
      return random.pick(shape.names)
    case "struct":
      return fieldsOf(random, shape.fields)
    case "variant": {
      const [name, fields] = random.pick(Object.entries(shape.variants))
      return { _tag: name, ...fieldsOf(random, fields) }
    }
    default:
      return SCALARS[shape.kind](random)
  }
}

/** A message, most often one whose declared type is that of its payload. */
const messageOf = (random: Random): ModuleMessage => {
  const message = valueOf(random, moduleMessage.shape) as ModuleMessage
  if (random.oneIn(10)) return message
  if (message._tag === "Event") return { ...message, event_type: message.payload._tag }
  return message._tag === "Request" ? { ...message, request_type: message.payload._tag } : message
}

/** Every answer to a stream as a line; a message that does not encode to its bytes is one too. */
const heard = (bytes: Uint8Array, ends: ReadonlyArray<number>): ReadonlyArray<string> => {
  const reader = moduleFrameReader(MAX_MODULE_MESSAGE_BYTES)
  const lines: Array<string> = []
  let start = 0
  for (const end of ends) {
    feedModuleFrames(reader, bytes.subarray(start, end))
    start = end
    for (;;) {
      const answer = readModuleFrame(reader)
      if (heldModuleBytes(reader) > 2 * end) lines.push(`fault: holds ${heldModuleBytes(reader)} bytes of ${end}`)
      if (answer._tag === "Failure") return [...lines, moduleIpcFaultText(answer.failure)]
      if (answer.success === undefined) break
      const message = decodeModuleMessage(answer.success)
      if (message._tag === "Failure") lines.push(moduleIpcFaultText(message.failure))
      else {lines.push(
          difference("fault: bytes", encodeModuleMessage(message.success), answer.success) ?? message.success._tag
        )}
    }
  }
  return lines
}

/** Bytes of a module's connection: the same messages and faults however they arrive, and memory for what has arrived only. */
export const moduleMessageTarget: Target<Stream> = {
  name: "module-message",
  about: "streams of frames between the node and a module",
  generate: (random) => {
    const frames = Array.from({ length: 1 + random.below(3) }, () => {
      const frame = Uint8Array.from(encodeModuleFrame(messageOf(random)))
      if (random.oneIn(3)) return frame
      const body = mutateBytes(frame.subarray(4), random, frame)
      if (random.oneIn(8)) return join(mutateBytes(frame.subarray(0, 4), random), body)
      return join(Uint8Array.of(body.length, body.length >>> 8, body.length >>> 16, 0), body)
    })
    return { bytes: join(...frames), cuts: Array.from({ length: random.below(8) }, () => random.below(400)) }
  },
  judge: ({ bytes, cuts }) => {
    const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].toSorted((a, b) =>
      a - b
    )
    const whole = heard(bytes, [bytes.length])
    return whole.find((line) => line.startsWith("fault: ")) ?? difference("frames", heard(bytes, ends), whole)
  }
}
