import type { LibraryHandle } from "koffi"
import { attempt, type Attempt } from "../attempt.ts"
import { loadKoffi, type NativeMemory, nativeMemory } from "../native-memory.ts"
import type { Hashes } from "./hashes.ts"

// Where things lie in the scratch memory. The largest context of the three algorithms has 112 bytes.
const CONTEXT = 0
const DIGEST = 256
const INPUT = 512
const INPUT_SIZE = 4096
const PARENTS = INPUT + INPUT_SIZE
const SCRATCH_SIZE = PARENTS + INPUT_SIZE / 2

interface Algorithm {
  readonly init: (context: number) => void
  readonly update: (context: number, data: number, size: number) => void
  readonly updateFrom: (context: number, data: Uint8Array, size: number) => void
  readonly final: (digest: number, context: number) => void
}

const algorithm = (library: LibraryHandle, name: string): Algorithm => ({
  init: library.func(`${name}_Init`, "void", ["uintptr_t"]),
  update: library.func(`${name}_Update`, "void", ["uintptr_t", "uintptr_t", "size_t"]),
  updateFrom: library.func(`${name}_Update`, "void", ["uintptr_t", "const void *", "size_t"]),
  final: library.func(`${name}_Final`, "void", ["uintptr_t", "uintptr_t"])
})

const hashesOver = (library: LibraryHandle, { address, bytes }: NativeMemory): Hashes => {
  const [sha256, ripemd160, sha1] = [algorithm(library, "SHA256"), algorithm(library, "RIPEMD160"), algorithm(library, "SHA1")]
  const context = address + CONTEXT
  const digest = address + DIGEST
  const input = address + INPUT
  const digest32 = bytes.subarray(DIGEST, DIGEST + 32)
  const digest20 = bytes.subarray(DIGEST, DIGEST + 20)

  const hash = ({ init, update, updateFrom, final }: Algorithm, data: Uint8Array): void => {
    init(context)
    if (data.length <= INPUT_SIZE) {
      bytes.set(data, INPUT)
      update(context, input, data.length)
    } else {
      updateFrom(context, data, data.length)
    }
    final(digest, context)
  }

  const hashDigest = ({ init, update, final }: Algorithm): void => {
    init(context)
    update(context, digest, 32)
    final(digest, context)
  }

  const hashPair = (pair: number, parent: number): void => {
    sha256.init(context)
    sha256.update(context, pair, 64)
    sha256.final(digest, context)
    sha256.init(context)
    sha256.update(context, digest, 32)
    sha256.final(parent, context)
  }

  return {
    sha256: (data) => {
      hash(sha256, data)
      return new Uint8Array(digest32)
    },
    sha256d: (data) => {
      hash(sha256, data)
      hashDigest(sha256)
      return new Uint8Array(digest32)
    },
    ripemd160: (data) => {
      hash(ripemd160, data)
      return new Uint8Array(digest20)
    },
    sha1: (data) => {
      hash(sha1, data)
      return new Uint8Array(digest20)
    },
    hash160: (data) => {
      hash(sha256, data)
      hashDigest(ripemd160)
      return new Uint8Array(digest20)
    },
    sha256dPairs: (pairs) => {
      const parents = new Uint8Array(pairs.length >> 1)
      for (let at = 0; at < pairs.length; at += INPUT_SIZE) {
        const size = Math.min(INPUT_SIZE, pairs.length - at)
        bytes.set(pairs.subarray(at, at + size), INPUT)
        for (let pair = 0; pair < size; pair += 64) hashPair(input + pair, address + PARENTS + (pair >> 1))
        parents.set(bytes.subarray(PARENTS, PARENTS + (size >> 1)), at >> 1)
      }
      return parents
    }
  }
}

/**
 * Hashes by the OpenSSL that Node.js itself contains, called directly. It is the code that `node:crypto` runs, with the
 * processor's SHA instructions; but on the short inputs of a blockchain the objects that `node:crypto` makes around each
 * call cost several times the hashing. The functions used are old and marked deprecated: where a build of Node.js does
 * not export them, this is unavailable and the caller falls back on `node:crypto`.
 */
export const opensslHashes = (): Attempt<Hashes> => {
  const koffi = loadKoffi()
  if (!koffi.ok) return koffi
  return attempt(() => hashesOver(koffi.value.load(null), nativeMemory(koffi.value, SCRATCH_SIZE)))
}
