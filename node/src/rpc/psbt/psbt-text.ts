import type { Crypto } from "@lockstep/kernel/crypto"
import { decodePsbt } from "@lockstep/protocol/psbt/decode-psbt.ts"
import { encodePsbt } from "@lockstep/protocol/psbt/encode-psbt.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Result from "effect/Result"
import { isHybridKey, isPublicKey } from "../../descriptors/key-text.ts"

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const UNCOMPRESSED = 4

/** Keys in one of their three forms: a hybrid one says the parity of y as well. */
const isAnyPublicKey = (key: Uint8Array): boolean =>
  isHybridKey(key)
    ? (key[0]! & 1) === (key[64]! & 1) && isPublicKey(Uint8Array.of(UNCOMPRESSED, ...key.subarray(1)))
    : isPublicKey(key)

/** The partially signed transaction that a text in base64 holds; or why it holds none. */
export const psbtOfText = (text: string, crypto: Crypto): Result.Result<Psbt, string> => {
  const bytes = BASE64.test(text) ? Buffer.from(text, "base64") : undefined
  // Bits that no byte has must be zero.
  if (bytes === undefined || bytes.toString("base64") !== text) return Result.fail("invalid base64")
  return decodePsbt(new Uint8Array(bytes), { crypto, isPublicKey: isAnyPublicKey })
}

export const psbtText = (psbt: Psbt): string => Buffer.from(encodePsbt(psbt)).toString("base64")
