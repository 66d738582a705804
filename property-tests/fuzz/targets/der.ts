import { signatureIsStrictDer, parseLaxDer } from "@lockstep/kernel/internal/signature/der.ts"
import { ecdsaVerifies } from "@lockstep/kernel/internal/signature/ecdsa.ts"
import { signatureIsLowS } from "@lockstep/kernel/internal/policy/signature.ts"
import { ScriptFlag } from "@lockstep/kernel/internal/script/flags.ts"
import { signatureFormError } from "../../src/oracles/check-signature.ts"
import * as oracle from "../../src/oracles/der.ts"
import { laxEcdsaVerifies } from "../../src/oracles/signature.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

interface Encodings {
  readonly signature: Uint8Array
  readonly key: Uint8Array
  readonly digest: Uint8Array
}

/** Encodings of signatures and keys: strict form, lax reading, low s, and verification by every provider. */
export const derTarget: Target<Encodings> = {
  name: "der",
  about: "encodings of ECDSA signatures and public keys, on every crypto provider",
  generate: (random, { signatures, keys }) => ({
    signature: mutateBytes(random.pick(signatures), random, random.pick(signatures)),
    key: random.oneIn(2) ? random.pick(keys) : mutateBytes(random.pick(keys), random),
    digest: random.bytes(32)
  }),
  isInput: ({ digest }) => digest.length === 32,
  judge: ({ signature, key, digest }, providers) => {
    const strict = signature.length === 0 || oracle.isStrictDer(signature)
    const lowS = signatureFormError(signature, new Set(["LOW_S"])) === undefined
    const read = parseLaxDer(signature)
    const wrong = difference("strict DER", signatureIsStrictDer(signature, ScriptFlag.DERSIG) === 0, strict) ??
      difference("lax DER", read, oracle.parseLax(signature)) ??
      (strict && signature.length > 0
        ? difference("low s", signatureIsLowS(signature, ScriptFlag.LOW_S) === 0, lowS)
        : undefined)
    if (wrong !== undefined || read === undefined) return wrong
    const expected = laxEcdsaVerifies(signature, key, digest)
    for (const { name, crypto } of providers) {
      const disagreement = difference(
        `verification by ${name}`,
        ecdsaVerifies(crypto, signature, key, digest),
        expected
      )
      if (disagreement !== undefined) return disagreement
    }
    return undefined
  }
}
