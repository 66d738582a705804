import type { Crypto } from "@lockstep/kernel/crypto"
import { psbtSteps } from "@lockstep/protocol/psbt/decode-psbt.ts"
import { encodePsbt } from "@lockstep/protocol/psbt/encode-psbt.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { knownPoints } from "../descriptor/known-points.ts"

const refused = (problem: string): string => `TX decode failed ${problem}`

/** Steps of reading without a pause; each reads at most three keys. */
const TURN = 128

/**
 * Decodes a partially signed transaction from base64. Fails with the reason in the words that clients know. It yields
 * to the event loop in between.
 */
export const psbtOfText = Effect.fnUntraced(function*(
  text: string,
  crypto: Crypto
): Effect.fn.Return<Psbt, string> {
  const bytes = Buffer.from(text, "base64")
  // Node.js skips invalid base64 characters and unused bits. A regular expression fails on megabytes, since its stack
  // is bounded.
  if (bytes.toString("base64") !== text) return yield* Effect.fail(refused("invalid base64"))
  const steps = psbtSteps(new Uint8Array(bytes), { crypto, isPublicKey: knownPoints(crypto) })
  let taken = 1
  let step = steps.next()
  while (step.done !== true) {
    if (taken % TURN === 0) yield* Effect.yieldNow
    taken++
    step = steps.next()
  }
  return yield* Effect.fromResult(Result.mapError(step.value, refused))
})

export const psbtText = (psbt: Psbt): string => Buffer.from(encodePsbt(psbt)).toString("base64")
