import type { LibraryHandle } from "koffi"
import { attempt, type Attempt } from "../attempt.ts"
import { loadKoffi, type NativeMemory, nativeMemory } from "../native-memory.ts"
import type { Hashes } from "./hashes.ts"

// Where things lie in the scratch memory. The largest context of the three algorithms has 112 bytes.
const CONTEXT = 0
const CONTEXT_SIZE = 128
const DIGEST = 256
const INPUT = 512
const INPUT_SIZE = 4096
const PARENTS = INPUT + INPUT_SIZE
const SCRATCH_SIZE = PARENTS + INPUT_SIZE / 2

/** Bytes that all three algorithms work on at once: fewer of them only lie in the context until the end. */
const BLOCK_SIZE = 64

interface Algorithm {
  readonly update: (context: number, data: number, size: number) => void
  readonly updateFrom: (context: number, data: Uint8Array, size: number) => void
  readonly final: (digest: number, context: number) => void
  /**
   * Contexts as they are once so many zeros, fewer than a block, have been given. Copying one is cheaper than a call.
   */
  readonly begun: ReadonlyArray<Uint8Array>
  /** Where in a context those bytes lie. */
  readonly buffered: number
}

/** A block that is found again wherever it was copied to. */
const PATTERN = Uint8Array.from({ length: BLOCK_SIZE - 1 }, (_, i) => 0x80 + i)

/** Throws when a function is missing, or a context does not hold what it was given as it came. */
const algorithm = (library: LibraryHandle, name: string, { address, bytes }: NativeMemory): Algorithm => {
  const init = library.func(`${name}_Init`, "void", ["uintptr_t"])
  const update = library.func(`${name}_Update`, "void", ["uintptr_t", "uintptr_t", "size_t"])
  const context = address + CONTEXT
  const contextAfter = (data: Uint8Array): Uint8Array => {
    bytes.fill(0, CONTEXT, CONTEXT + CONTEXT_SIZE)
    init(context)
    bytes.set(data, INPUT)
    update(context, address + INPUT, data.length)
    return bytes.slice(CONTEXT, CONTEXT + CONTEXT_SIZE)
  }
  const buffered = Buffer.from(contextAfter(PATTERN)).indexOf(PATTERN)
  if (buffered < 0) throw new Error(`the context of ${name} is of an unknown form`)
  return {
    update,
    updateFrom: library.func(`${name}_Update`, "void", ["uintptr_t", "const void *", "size_t"]),
    final: library.func(`${name}_Final`, "void", ["uintptr_t", "uintptr_t"]),
    begun: Array.from({ length: BLOCK_SIZE }, (_, size) => contextAfter(new Uint8Array(size))),
    buffered: CONTEXT + buffered
  }
}

const hashesOver = (library: LibraryHandle, memory: NativeMemory): Hashes => {
  const { address, bytes } = memory
  const [sha256, ripemd160, sha1] = [
    algorithm(library, "SHA256", memory),
    algorithm(library, "RIPEMD160", memory),
    algorithm(library, "SHA1", memory)
  ]
  const context = address + CONTEXT
  const digest = address + DIGEST
  const input = address + INPUT
  const digest32 = bytes.subarray(DIGEST, DIGEST + 32)
  const digest20 = bytes.subarray(DIGEST, DIGEST + 20)

  const hash = ({ begun, buffered, final, update, updateFrom }: Algorithm, data: Uint8Array): void => {
    const size = data.length
    if (size < BLOCK_SIZE) {
      bytes.set(begun[size]!, CONTEXT)
      bytes.set(data, buffered)
    } else {
      bytes.set(begun[0]!, CONTEXT)
      if (size <= INPUT_SIZE) {
        bytes.set(data, INPUT)
        update(context, input, size)
      } else {
        updateFrom(context, data, size)
      }
    }
    final(digest, context)
  }

  /** Hashes the digest that was just made. */
  const hashDigest = ({ begun, buffered, final }: Algorithm, to: number): void => {
    bytes.set(begun[32]!, CONTEXT)
    bytes.copyWithin(buffered, DIGEST, DIGEST + 32)
    final(to, context)
  }

  const hashPair = (pair: number, parent: number): void => {
    bytes.set(sha256.begun[0]!, CONTEXT)
    sha256.update(context, pair, BLOCK_SIZE)
    sha256.final(digest, context)
    hashDigest(sha256, parent)
  }

  return {
    sha256: (data) => {
      hash(sha256, data)
      return new Uint8Array(digest32)
    },
    sha256d: (data) => {
      hash(sha256, data)
      hashDigest(sha256, digest)
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
      hashDigest(ripemd160, digest)
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
 * processor's SHA instructions. But on the short inputs of a blockchain the objects that `node:crypto` makes around
 * each call cost several times the hashing. The functions used are old and marked deprecated: where a build of Node.js
 * does not export them, this is unavailable and the caller falls back on `node:crypto`.
 */
export const opensslHashes = (): Attempt<Hashes> => {
  const koffi = loadKoffi()
  if (!koffi.ok) return koffi
  return attempt(() => hashesOver(koffi.value.load(null), nativeMemory(koffi.value, SCRATCH_SIZE)))
}
