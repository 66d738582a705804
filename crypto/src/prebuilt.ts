import { nobleCrypto } from "@lockstep/kernel/crypto/noble.ts"
import { createRequire } from "node:module"
import type * as secp256k1 from "secp256k1"
import type * as tinySecp256k1 from "tiny-secp256k1"
import { attempt } from "./attempt.ts"
import { nativeHashes } from "./hash/native-hashes.ts"
import { hasKeyForm } from "./key-form.ts"
import { agreesOnSignatures } from "./known-answers.ts"
import type { Provider } from "./provider.ts"
import type { Signatures } from "./signatures.ts"

type Addon = typeof secp256k1
type Wasm = typeof tinySecp256k1
type EcdsaVerify = Signatures["ecdsaVerify"]

/** Not the package's main file, which would silently fall back on a slow implementation in JavaScript. */
const ADDON = "secp256k1/bindings.js"

const ORDER = Uint8Array.from(Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex"))

const isBelowOrder = (bytes: Uint8Array, from: number): boolean => {
  for (let i = 0; i < 32; i++) {
    if (bytes[from + i] !== ORDER[i]) return bytes[from + i]! < ORDER[i]!
  }
  return false
}

/** How `secp256k1` and `tiny-secp256k1` say it. */
const NOT_ON_CURVE: ReadonlyArray<string> = ["Public Key could not be parsed", "Expected Point"]

/**
 * Both packages answer a point that is not on the curve with an exception. Anything else they throw is a defect and goes on.
 */
const onCurve = (verify: () => boolean): boolean => {
  try {
    return verify()
  } catch (cause) {
    if (cause instanceof Error && NOT_ON_CURVE.includes(cause.message)) return false
    throw cause
  }
}

const ecdsaBy = (verify: EcdsaVerify): EcdsaVerify => (signature, key, digest) =>
  signature.length === 64 && digest.length === 32 && hasKeyForm(key) &&
  isBelowOrder(signature, 0) && isBelowOrder(signature, 32) && onCurve(() => verify(signature, key, digest))

const schnorrBy = (wasm: Wasm): Signatures["schnorrVerify"] => (signature, key, message) => {
  if (signature.length !== 64 || key.length !== 32) return false
  // The package knows only 32-byte messages, and wants r below the group order where BIP340 wants it below the field size.
  if (message.length !== 32 || !isBelowOrder(signature, 0)) return nobleCrypto.schnorrVerify(signature, key, message)
  return isBelowOrder(signature, 32) && onCurve(() => wasm.verifySchnorr(message, key, signature))
}

const tweakBy = (wasm: Wasm): Signatures["taprootTweakMatches"] => (internal, tweak, output, parity) =>
  internal.length === 32 && tweak.length === 32 && output.length === 32 && isBelowOrder(tweak, 0) &&
  (parity === 0 || parity === 1) && onCurve(() => wasm.xOnlyPointAddTweakCheck(internal, tweak, output, parity))

/**
 * What npm delivers ready to run: the addon of `secp256k1` for ECDSA and the WebAssembly of `tiny-secp256k1` for the
 * rest, also for ECDSA on machines that the addon is not built for.
 */
export const prebuiltProvider = (addonModule: string = ADDON): Provider => {
  const name = "prebuilt"
  const require = createRequire(import.meta.url)
  const wasm = attempt(() => require("tiny-secp256k1") as Wasm)
  if (!wasm.ok) return { name, available: false, reason: `tiny-secp256k1 does not load: ${wasm.reason}` }
  const addon = attempt(() => require(addonModule) as Addon)
  const signatures: Signatures = {
    ecdsaVerify: ecdsaBy(addon.ok
      ? (signature, key, digest) => addon.value.ecdsaVerify(signature, digest, key)
      : (signature, key, digest) => wasm.value.verify(digest, key, signature, true)),
    schnorrVerify: schnorrBy(wasm.value),
    taprootTweakMatches: tweakBy(wasm.value)
  }
  if (!agreesOnSignatures(signatures)) return { name, available: false, reason: "the packages fail their known answers" }
  const { detail, hashes } = nativeHashes()
  const ecdsa = addon.ok ? "secp256k1 for ECDSA, " : ""
  return { name, available: true, detail: `${ecdsa}tiny-secp256k1, hashes by ${detail}`, crypto: { ...hashes, ...signatures } }
}
