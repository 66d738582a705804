import { decodeMessage, encodeMessage, MESSAGES } from "@lockstep/modules/stratum-v2/wire/messages.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** A payload that miners might send, with its type. */
interface Payload {
  readonly type: number
  readonly bytes: Uint8Array
}

const TYPES = Object.values(MESSAGES).map(({ type }) => type)

/** Lengths inside are small more often than chance makes them. */
const anyBytes = (random: Random): Uint8Array =>
  random.bytes(random.below(random.oneIn(8) ? 400 : 120)).map((byte) => random.oneIn(3) ? byte & 7 : byte)

export const stratumV2WireTarget: Target<Payload> = {
  name: "stratum-v2-wire",
  about: "bytes of miners are messages of Stratum V2, or none; what is read is written as it was",
  generate: (random) => ({ type: random.oneIn(20) ? random.below(256) : random.pick(TYPES), bytes: anyBytes(random) }),
  judge: ({ bytes, type }) => {
    const payload = Buffer.from(bytes)
    const message = decodeMessage({ type, payload })
    if (message === undefined) return undefined
    const again = encodeMessage(message)
    if (again.type !== type) return `the type ${type} became ${again.type}`
    return again.payload.equals(payload.subarray(0, again.payload.length))
      ? undefined
      : `${message._tag} is written in another way than it was read`
  },
  regressions: REGRESSIONS
}
