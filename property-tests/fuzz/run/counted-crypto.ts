import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"

/** A provider that says whether it was asked about a signature or a commitment. */
export interface CountedCrypto {
  readonly crypto: Crypto
  readonly wasAsked: () => boolean
}

/** `crypto` with a note of whether anything but hashes was wanted: where not, all providers do the same. */
export const countedCrypto = (crypto: Crypto): CountedCrypto => {
  let asked = false
  const noted =
    <Args extends ReadonlyArray<unknown>>(check: (...args: Args) => boolean) => (...args: Args): boolean => {
      asked = true
      return check(...args)
    }
  return {
    crypto: {
      ...crypto,
      ecdsaVerify: noted(crypto.ecdsaVerify),
      schnorrVerify: noted(crypto.schnorrVerify),
      taprootTweakMatches: noted(crypto.taprootTweakMatches)
    },
    wasAsked: () => asked
  }
}
