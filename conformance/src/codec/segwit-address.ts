import { bech32, bech32m } from "@scure/base"

const OP_1 = 0x51
const MAX_VERSION = 16

const codecOf = (version: number) => version === 0 ? bech32 : bech32m

const isProgram = (version: number, program: Uint8Array): boolean =>
  version <= MAX_VERSION && program.length >= 2 && program.length <= 40 &&
  (version !== 0 || program.length === 20 || program.length === 32)

/** The address of a witness program under the human-readable part `hrp` (BIP173, BIP350). */
export const segwitAddressOf = (hrp: string, scriptPubKey: Uint8Array): string => {
  const version = scriptPubKey[0] === 0 ? 0 : scriptPubKey[0]! - OP_1 + 1
  const codec = codecOf(version)
  return codec.encode(hrp, [version, ...codec.toWords(scriptPubKey.subarray(2))])
}

/** The scriptPubKey an address under `hrp` pays to; none when it is no such address. */
export const segwitScriptOf = (hrp: string, address: string): Uint8Array | undefined => {
  for (const codec of [bech32, bech32m]) {
    try {
      const { prefix, words } = codec.decode(address as `${string}1${string}`)
      const [version, ...rest] = words
      if (prefix !== hrp || version === undefined || codecOf(version) !== codec) continue
      const program = codec.fromWords(rest)
      if (isProgram(version, program)) {
        return Uint8Array.of(version === 0 ? 0 : OP_1 + version - 1, program.length, ...program)
      }
    } catch {
      // The codec throws at whatever is not its own encoding: then it is the other one, or none.
    }
  }
  return undefined
}
