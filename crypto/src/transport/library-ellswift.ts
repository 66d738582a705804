import type { LibraryHandle } from "koffi"
import { type Attempt, attempt } from "../attempt.ts"
import { libraryNames } from "../libsecp256k1.ts"
import { type Koffi, loadKoffi, type NativeMemory, nativeMemory } from "../native-memory.ts"
import type { EllSwift } from "./ellswift.ts"

// Where things lie in the scratch memory.
const PRIVATE_KEY = 0
const ENTROPY = 32
const FIRST = 64
const SECOND = 128
const SECRET = 192
const SCRATCH_SIZE = 224

/** SECP256K1_CONTEXT_NONE. */
const CONTEXT_NONE = 1

type Call = (...values: ReadonlyArray<number | null>) => number

interface Functions {
  readonly create: Call
  readonly xdh: Call
  /** The hash that this transport makes of the shared point. */
  readonly hash: number
  readonly context: number
}

/** Throws when one is missing. */
const functionsOf = (koffi: Koffi, library: LibraryHandle): Functions => {
  const pointer = "uintptr_t"
  const hash = koffi.decode(library.symbol("secp256k1_ellswift_xdh_hash_function_bip324"), pointer) as number | bigint
  return {
    create: library.func("secp256k1_ellswift_create", "int", [pointer, pointer, pointer, pointer]),
    xdh: library.func("secp256k1_ellswift_xdh", "int", [
      pointer,
      pointer,
      pointer,
      pointer,
      pointer,
      "int",
      pointer,
      pointer
    ]),
    hash: Number(hash),
    context: library.func("secp256k1_context_create", pointer, ["uint32_t"])(CONTEXT_NONE) as number
  }
}

const ellSwiftOver = ({ context, create, hash, xdh }: Functions, { address, bytes }: NativeMemory): EllSwift => {
  const read = (at: number, size: number): Uint8Array => new Uint8Array(bytes.subarray(at, at + size))
  const wipe = (): void => void bytes.fill(0)
  return {
    encodePublicKey: (privateKey, entropy) => {
      bytes.set(privateKey, PRIVATE_KEY)
      bytes.set(entropy, ENTROPY)
      create(context, address + FIRST, address + PRIVATE_KEY, address + ENTROPY)
      const encoded = read(FIRST, 64)
      wipe()
      return encoded
    },
    sharedSecret: (privateKey, ours, theirs, isInitiator) => {
      bytes.set(privateKey, PRIVATE_KEY)
      bytes.set(isInitiator ? ours : theirs, FIRST)
      bytes.set(isInitiator ? theirs : ours, SECOND)
      const [secretAt, first, second] = [address + SECRET, address + FIRST, address + SECOND]
      xdh(context, secretAt, first, second, address + PRIVATE_KEY, isInitiator ? 0 : 1, hash, 0)
      const secret = read(SECRET, 32)
      wipe()
      return secret
    }
  }
}

/** ElligatorSwift by the system's libsecp256k1, which has it from version 0.4 on. */
export const libraryEllSwift = (
  files: ReadonlyArray<string> = libraryNames(process.platform)
): Attempt<{ readonly file: string; readonly ellSwift: EllSwift }> => {
  const koffi = loadKoffi()
  if (!koffi.ok) return koffi
  for (const file of files) {
    const found = attempt(() =>
      ellSwiftOver(functionsOf(koffi.value, koffi.value.load(file)), nativeMemory(koffi.value, SCRATCH_SIZE))
    )
    if (found.ok) return { ok: true, value: { file, ellSwift: found.value } }
  }
  return { ok: false, reason: `no libsecp256k1 with ElligatorSwift on this system (tried ${files.join(", ")})` }
}
