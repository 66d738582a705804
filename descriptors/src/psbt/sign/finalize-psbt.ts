import type { Crypto } from "@lockstep/kernel/crypto"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import { signedPsbt, signInput } from "./sign-input.ts"
import { emptyProvider } from "./signing-provider.ts"

/**
 * Finalizes each input that has enough signatures. Returns true if all inputs are final. It yields to the event loop in
 * between.
 */
export const finalizePsbt = Effect.fnUntraced(function*(psbt: Psbt, crypto: Crypto): Effect.fn.Return<boolean> {
  const signed = signedPsbt(psbt, crypto)
  if (signed === undefined) return false
  const provider = emptyProvider()
  let isComplete = true
  for (const [i, { sighashType }] of psbt.inputs.entries()) {
    const { outcome } = signInput(signed, i, provider, { hashType: sighashType, finalize: true })
    isComplete &&= outcome === "complete"
    yield* Effect.yieldNow
  }
  return isComplete
})
