import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"

/** A provider that answers the same question about a signature or key only once, until its memory is cleared. */
interface MemoCrypto {
  readonly crypto: Crypto
  readonly forget: () => void
}

const keyOf = (parts: ReadonlyArray<Uint8Array>): string =>
  parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1")).join("|")

/**
 * `crypto` with a memory. One input judged under dozens of flag sets asks for the same few signatures each time;
 * on a slow provider those would be nearly all of the run.
 */
export const memoCrypto = (crypto: Crypto): MemoCrypto => {
  const answers = new Map<string, boolean>()
  const once = (key: string, ask: () => boolean): boolean => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = ask()
    answers.set(key, answer)
    return answer
  }
  return {
    forget: () => answers.clear(),
    crypto: {
      ...crypto,
      ecdsaVerify: (signature, key, digest) =>
        once(`e${keyOf([signature, key, digest])}`, () => crypto.ecdsaVerify(signature, key, digest)),
      schnorrVerify: (signature, key, message) =>
        once(`s${keyOf([signature, key, message])}`, () => crypto.schnorrVerify(signature, key, message)),
      taprootTweakMatches: (internal, tweak, output, parity) =>
        once(
          `t${parity}${keyOf([internal, tweak, output])}`,
          () => crypto.taprootTweakMatches(internal, tweak, output, parity)
        )
    }
  }
}
