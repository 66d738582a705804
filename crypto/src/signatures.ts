import type { Crypto } from "@lockstep/kernel/crypto"

/** The half of the seam that works on the curve. */
export type Signatures = Pick<Crypto, "ecdsaVerify" | "schnorrVerify" | "taprootTweakMatches">
