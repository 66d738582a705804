import { assert, describe, it } from "vitest"
import { libsecp256k1Provider } from "../src/libsecp256k1.ts"
import { prebuiltProvider } from "../src/prebuilt.ts"
import type { Provider } from "../src/provider.ts"

/** More than enough for a provider that leaks a little at every refusal to run out of its memory. */
const MANY = 6_000

const ZEROS = new Uint8Array(32)
/** Compressed form of x = 0, which is no point: 7 has no square root. */
const NO_POINT = Uint8Array.of(2, ...ZEROS)
const SIGNATURE = new Uint8Array(64).fill(1)

const PROVIDERS: ReadonlyArray<readonly [string, () => Provider]> = [
  ["libsecp256k1", libsecp256k1Provider],
  ["prebuilt", prebuiltProvider],
  ["prebuilt without the addon", () => prebuiltProvider("no-such-addon")]
]

// The WebAssembly of tiny-secp256k1 does not unwind its stack when it throws: a few thousand keys that are no points,
// which anyone can send, made every later call fail.
describe.each(PROVIDERS)("keys that are no points: %s", (_name, detect) => {
  const provider = detect()
  it.skipIf(!provider.available)("are refused any number of times", () => {
    assert(provider.available)
    const { ecdsaVerify, schnorrVerify, taprootTweakMatches } = provider.crypto
    for (let i = 0; i < MANY; i++) {
      assert.isFalse(taprootTweakMatches(ZEROS, SIGNATURE.subarray(0, 32), ZEROS, 0))
      assert.isFalse(schnorrVerify(SIGNATURE, ZEROS, ZEROS))
      assert.isFalse(ecdsaVerify(SIGNATURE, NO_POINT, ZEROS))
    }
  })
})
