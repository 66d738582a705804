import { nobleCrypto } from "@lockstep/kernel/noble"
import type { LibraryHandle } from "koffi"
import { type Attempt, attempt } from "./attempt.ts"
import { nativeHashes } from "./hash/native-hashes.ts"
import { hasKeyForm } from "./key-form.ts"
import { agreesOnSignatures } from "./known-answers.ts"
import { type Koffi, loadKoffi, type NativeMemory, nativeMemory } from "./native-memory.ts"
import { PARSED_KEYS_SIZE, type ParseKey, parsedKeys } from "./parsed-keys.ts"
import type { Provider } from "./provider.ts"
import type { Signatures } from "./signatures.ts"

// Numbers of the library's binary interface, newest first: 0 was never released, 1 is version 0.2, 2 is 0.3 to 0.5.
const INTERFACES = [6, 5, 2, 1, 0]

/** What package managers call the library. */
export const libraryNames = (platform: NodeJS.Platform): ReadonlyArray<string> => {
  switch (platform) {
    case "win32":
      return [...INTERFACES.map((number) => `libsecp256k1-${number}.dll`), "libsecp256k1.dll", "secp256k1.dll"]
    case "darwin":
      return ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map((folder) => `${folder}libsecp256k1.dylib`)
    default:
      return [...INTERFACES.map((number) => `libsecp256k1.so.${number}`), "libsecp256k1.so"]
  }
}

/** SECP256K1_CONTEXT_VERIFY. Later versions need no flag and accept this one. */
const CONTEXT_VERIFY = 0x0101

// Where things lie in the scratch memory. What is parsed is an opaque structure of 64 bytes.
const SIGNATURE = 0
const KEY = 64
const DIGEST = 136
const TWEAKED = 168
const PARSED_SIGNATURE = 200
const PARSED_KEY = 264
const MESSAGE = 328
const MESSAGE_SIZE = 1024
const COMPRESSED_KEYS = MESSAGE + MESSAGE_SIZE
const X_ONLY_KEYS = COMPRESSED_KEYS + PARSED_KEYS_SIZE
const SCRATCH_SIZE = X_ONLY_KEYS + PARSED_KEYS_SIZE

type Call = (...values: ReadonlyArray<number>) => number

interface Functions {
  readonly signatureParse: Call
  readonly keyParse: Call
  readonly ecdsaVerify: Call
  readonly xOnlyParse: Call
  readonly schnorrVerify: Call
  readonly tweakCheck: Call
}

/** Throws when one is missing. */
const functionsOf = (library: LibraryHandle): Functions => {
  const pointer = "uintptr_t"
  // This function came together with the length parameter of Schnorr verification, without which the call below would
  // crash.
  library.symbol("secp256k1_schnorrsig_sign_custom")
  return {
    signatureParse: library.func("secp256k1_ecdsa_signature_parse_compact", "int", [pointer, pointer, pointer]),
    keyParse: library.func("secp256k1_ec_pubkey_parse", "int", [pointer, pointer, pointer, "size_t"]),
    ecdsaVerify: library.func("secp256k1_ecdsa_verify", "int", [pointer, pointer, pointer, pointer]),
    xOnlyParse: library.func("secp256k1_xonly_pubkey_parse", "int", [pointer, pointer, pointer]),
    schnorrVerify: library.func("secp256k1_schnorrsig_verify", "int", [pointer, pointer, pointer, "size_t", pointer]),
    tweakCheck: library.func("secp256k1_xonly_pubkey_tweak_add_check", "int", [
      pointer,
      pointer,
      "int",
      pointer,
      pointer
    ])
  }
}

const contextOf = (library: LibraryHandle): number =>
  library.func("secp256k1_context_create", "uintptr_t", ["uint32_t"])(CONTEXT_VERIFY) as number

const signaturesOver = (
  { ecdsaVerify, keyParse, schnorrVerify, signatureParse, tweakCheck, xOnlyParse }: Functions,
  context: number,
  memory: NativeMemory,
  keepsKeys: boolean
): Signatures => {
  const { address, bytes } = memory
  const signatureAt = address + SIGNATURE
  const keyAt = address + KEY
  const digestAt = address + DIGEST
  const tweakedAt = address + TWEAKED
  const parsedSignature = address + PARSED_SIGNATURE
  const parsedKey = address + PARSED_KEY
  const messageAt = address + MESSAGE

  const parseKey = (to: number, from: number, length: number): boolean => keyParse(context, to, from, length) === 1
  const parseXOnly = (to: number, from: number): boolean => xOnlyParse(context, to, from) === 1

  const parsedNow = (parse: ParseKey) => (key: Uint8Array): number => {
    bytes.set(key, KEY)
    return parse(parsedKey, keyAt, key.length) ? parsedKey : 0
  }
  /** Nothing is gained by keeping a key whose y stands in it. */
  const uncompressedKey = parsedNow(parseKey)
  const compressedKey = keepsKeys
    ? parsedKeys(memory, { length: 33, scratch: KEY, table: COMPRESSED_KEYS }, parseKey)
    : uncompressedKey
  const xOnlyKey = keepsKeys
    ? parsedKeys(memory, { length: 32, scratch: KEY, table: X_ONLY_KEYS }, parseXOnly)
    : parsedNow(parseXOnly)

  return {
    ecdsaVerify: (signature, key, digest) => {
      if (signature.length !== 64 || digest.length !== 32 || !hasKeyForm(key)) return false
      bytes.set(signature, SIGNATURE)
      bytes.set(digest, DIGEST)
      if (signatureParse(context, parsedSignature, signatureAt) !== 1) return false
      const parsed = key.length === 33 ? compressedKey(key) : uncompressedKey(key)
      return parsed !== 0 && ecdsaVerify(context, parsedSignature, digestAt, parsed) === 1
    },
    schnorrVerify: (signature, key, message) => {
      if (signature.length !== 64 || key.length !== 32) return false
      if (message.length > MESSAGE_SIZE) return nobleCrypto.schnorrVerify(signature, key, message)
      bytes.set(signature, SIGNATURE)
      bytes.set(message, MESSAGE)
      const parsed = xOnlyKey(key)
      return parsed !== 0 && schnorrVerify(context, signatureAt, messageAt, message.length, parsed) === 1
    },
    taprootTweakMatches: (internal, tweak, output, parity) => {
      if (internal.length !== 32 || tweak.length !== 32 || output.length !== 32) return false
      bytes.set(internal, KEY)
      bytes.set(tweak, DIGEST)
      bytes.set(output, TWEAKED)
      return xOnlyParse(context, parsedKey, keyAt) === 1 &&
        tweakCheck(context, tweakedAt, parity, parsedKey, digestAt) === 1
    }
  }
}

const open = (koffi: Koffi, file: string, keepsKeys: boolean): Attempt<Signatures> | undefined => {
  const library = attempt(() => koffi.load(file))
  if (!library.ok) return undefined
  const signatures = attempt(() =>
    signaturesOver(functionsOf(library.value), contextOf(library.value), nativeMemory(koffi, SCRATCH_SIZE), keepsKeys)
  )
  if (!signatures.ok) {
    return { ok: false, reason: `${file} lacks Schnorr signatures or x-only keys: ${signatures.reason}` }
  }
  return agreesOnSignatures(signatures.value) ? signatures : { ok: false, reason: `${file} fails its known answers` }
}

/** What the library calls are made with. */
export interface LibraryOptions {
  readonly files?: ReadonlyArray<string>
  /** Whether keys that were parsed are kept for the next signature. */
  readonly keepsKeys?: boolean
}

/** The system's libsecp256k1, the library of Bitcoin Core, called through koffi. */
export const libsecp256k1Provider = (
  { files = libraryNames(process.platform), keepsKeys = true }: LibraryOptions = {}
): Provider => {
  const name = "libsecp256k1"
  const koffi = loadKoffi()
  if (!koffi.ok) return { name, available: false, reason: `koffi does not load: ${koffi.reason}` }
  const refused: Array<string> = []
  for (const file of files) {
    const signatures = open(koffi.value, file, keepsKeys)
    if (signatures === undefined) continue
    if (signatures.ok) {
      const { detail, hashes } = nativeHashes()
      return {
        name,
        available: true,
        detail: `${file}, hashes by ${detail}`,
        crypto: { ...hashes, ...signatures.value }
      }
    }
    refused.push(signatures.reason)
  }
  const absent = `no libsecp256k1 on this system (tried ${files.join(", ")}); on Debian: apt-get install libsecp256k1-1`
  return { name, available: false, reason: refused.length > 0 ? refused.join("; ") : absent }
}
