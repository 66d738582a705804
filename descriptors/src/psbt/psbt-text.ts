import type { Crypto } from "@lockstep/kernel/crypto"
import { decodePsbt } from "@lockstep/protocol/psbt/decode-psbt.ts"
import { encodePsbt } from "@lockstep/protocol/psbt/encode-psbt.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Result from "effect/Result"
import { isHybridKey, isPublicKey } from "../descriptor/key-text.ts"

const UNCOMPRESSED = 4

/** Keys in one of their three forms: a hybrid one says the parity of y as well. */
const isAnyPublicKey = (key: Uint8Array): boolean =>
  isHybridKey(key)
    ? (key[0]! & 1) === (key[64]! & 1) && isPublicKey(Uint8Array.of(UNCOMPRESSED, ...key.subarray(1)))
    : isPublicKey(key)

const refused = (problem: string): string => `TX decode failed ${problem}`

/** The partially signed transaction that a text in base64 holds; or why it holds none, in the words that clients know. */
export const psbtOfText = (text: string, crypto: Crypto): Result.Result<Psbt, string> => {
  const bytes = Buffer.from(text, "base64")
  // Node.js skips what is no base64, and bits that no byte has. A regular expression is no match for megabytes: its stack is bounded.
  if (bytes.toString("base64") !== text) return Result.fail(refused("invalid base64"))
  return Result.mapError(decodePsbt(new Uint8Array(bytes), { crypto, isPublicKey: isAnyPublicKey }), refused)
}

export const psbtText = (psbt: Psbt): string => Buffer.from(encodePsbt(psbt)).toString("base64")
