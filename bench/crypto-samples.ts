import type { Crypto } from "../kernel/src/crypto/crypto.ts"

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
const filled = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 167) & 0xff)

const digest = bytes("0f3741074329eb56b210ca2cf6a9866ee7f725e9f4dcfa7047abb0dc9a642c60")
const key = bytes("031971066b8efd547eb25e24734208e86bef7db321c8af49cd9497b4e10be50075")
const xOnlyKey = key.subarray(1)
const ecdsaSignature = bytes(
  "161cd843f02310a3ceb01bca8ce46b8710a4fa350f2925a4da16638939373f14" +
    "33fa26eaa5265153448c1b9487ffcfa4fda49bbb98df267c0a05426b32f41427"
)
const schnorrSignature = bytes(
  "9ec71875fe0ca5f3ad658ee37c06b8ef824ba0dc4c3efb1e598420b19fe1a2fb" +
    "36ae8dcd7f2cb89f43d4b2d1e17305d31fbe2efb7fc8c78b070f337edf7b8e05"
)
const tweak = bytes("0ec123df11c21f6dbddb56823b3f65a34a0a76b749aa604420f97a612feb3baa")
const output = bytes("99e6a95692e26116422f14c235d4c6c8bd66afd338e29edabeefbf22c42b9007")
const outputParity = 1

const hashing = (length: number): (crypto: Crypto) => unknown => {
  const data = filled(length)
  return (crypto) => crypto.sha256d(data)
}

const merkleLevel = filled(2_048 * 32)

/** One question of each kind for a provider; a signature that holds, since those are what a node mostly sees. */
export const CRYPTO_SAMPLES: ReadonlyArray<readonly [name: string, ask: (crypto: Crypto) => unknown]> = [
  ["ecdsaVerify", (crypto) => crypto.ecdsaVerify(ecdsaSignature, key, digest)],
  ["schnorrVerify", (crypto) => crypto.schnorrVerify(schnorrSignature, xOnlyKey, digest)],
  ["taprootTweakMatches", (crypto) => crypto.taprootTweakMatches(xOnlyKey, tweak, output, outputParity)],
  ["sha256d 80 B", hashing(80)],
  ["sha256d 250 B", hashing(250)],
  ["sha256d 1 MB", hashing(1_000_000)],
  ["sha256dPairs of 2,048 leaves", (crypto) => crypto.sha256dPairs(merkleLevel)]
]
