import { nobleCrypto } from "@lockstep/kernel/noble"
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

/** How `secp256k1` says that a point is not on the curve, and that a sum of points is none. */
const NO_POINT: ReadonlyArray<string> = [
  "Public Key could not be parsed",
  "The tweak was out of range or the resulted private key is invalid"
]

/** The addon answers what is no point with an exception. Anything else it throws is a defect and goes on. */
const orNone = <A>(ask: () => A): A | undefined => {
  try {
    return ask()
  } catch (cause) {
    if (cause instanceof Error && NO_POINT.includes(cause.message)) return undefined
    throw cause
  }
}

const ecdsaBy = (verify: EcdsaVerify): EcdsaVerify => (signature, key, digest) =>
  signature.length === 64 && digest.length === 32 && hasKeyForm(key) &&
  isBelowOrder(signature, 0) && isBelowOrder(signature, 32) && verify(signature, key, digest)

const ecdsaByAddon = (addon: Addon): EcdsaVerify =>
  ecdsaBy((signature, key, digest) => orNone(() => addon.ecdsaVerify(signature, digest, key)) === true)

// The WebAssembly throws at a key that is no point, and does not unwind its stack when it does. After a few thousand
// such keys every call fails. So it is asked first whether the key is a point, which it answers without throwing.

const ecdsaByWasm = (wasm: Wasm): EcdsaVerify =>
  ecdsaBy((signature, key, digest) => wasm.isPoint(key) && wasm.verify(digest, key, signature, true))

const schnorrBy = (wasm: Wasm): Signatures["schnorrVerify"] => (signature, key, message) => {
  if (signature.length !== 64 || key.length !== 32) return false
  // The package knows only 32-byte messages, and wants r below the group order where BIP340 wants it below the field
  // size.
  if (message.length !== 32 || !isBelowOrder(signature, 0)) return nobleCrypto.schnorrVerify(signature, key, message)
  return isBelowOrder(signature, 32) && wasm.isXOnlyPoint(key) && wasm.verifySchnorr(message, key, signature)
}

/** The x-only key's point with even y, plus the tweak: what is left to compare are x and the parity of y. */
const tweakByAddon = (addon: Addon): Signatures["taprootTweakMatches"] => (internal, tweak, output, parity) => {
  if (internal.length !== 32 || tweak.length !== 32 || output.length !== 32 || !isBelowOrder(tweak, 0)) return false
  const even = new Uint8Array(33)
  even[0] = 2
  even.set(internal, 1)
  const tweaked = orNone(() => addon.publicKeyTweakAdd(even, tweak, true))
  return tweaked !== undefined && tweaked[0]! - 2 === parity && output.every((byte, i) => byte === tweaked[i + 1])
}

/**
 * What npm delivers ready to run. The addon of `secp256k1` is for ECDSA and tweaks. The WebAssembly of `tiny-secp256k1`
 * is for Schnorr signatures, and for ECDSA on machines that the addon is not built for.
 */
export const prebuiltProvider = (addonModule: string = ADDON): Provider => {
  const name = "prebuilt"
  const require = createRequire(import.meta.url)
  const wasm = attempt(() => require("tiny-secp256k1") as Wasm)
  if (!wasm.ok) return { name, available: false, reason: `tiny-secp256k1 does not load: ${wasm.reason}` }
  const addon = attempt(() => require(addonModule) as Addon)
  const signatures: Signatures = {
    ecdsaVerify: addon.ok ? ecdsaByAddon(addon.value) : ecdsaByWasm(wasm.value),
    schnorrVerify: schnorrBy(wasm.value),
    // The WebAssembly would throw at sums that are no point, which cannot be asked beforehand.
    taprootTweakMatches: addon.ok ? tweakByAddon(addon.value) : nobleCrypto.taprootTweakMatches
  }
  if (!agreesOnSignatures(signatures)) {
    return { name, available: false, reason: "the packages fail their known answers" }
  }
  const { detail, hashes } = nativeHashes()
  const ecdsa = addon.ok ? "secp256k1 for ECDSA and tweaks, " : ""
  return {
    name,
    available: true,
    detail: `${ecdsa}tiny-secp256k1, hashes by ${detail}`,
    crypto: { ...hashes, ...signatures }
  }
}
