import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import { base58CheckBytes, withoutSpaceAround } from "@lockstep/descriptors/script-text/base58-bytes.ts"
import { base58, bech32, bech32m } from "@scure/base"
import { type Bech32Fault, bech32Fault } from "./bech32-errors.ts"

const attempt = <A>(decode: () => A): A | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}

/** Maximum length of the data in a Base58 text, in bytes. An address has 21. */
const MAX_BASE58 = 100
const MAX_ADDRESS = 21

const base58Fault = (given: string, prefixes: AddressPrefixes): string => {
  const text = withoutSpaceAround(given)
  const bytes = base58CheckBytes(text)
  if (bytes !== undefined && bytes.length <= MAX_ADDRESS) {
    return bytes[0] === prefixes.publicKeyHash || bytes[0] === prefixes.scriptHash
      ? "Invalid length for Base58 address (P2PKH or P2SH)"
      : "Invalid or unsupported Base58-encoded address."
  }
  // A text with more digits than this many bytes produce is not decoded, since decoding takes quadratic time.
  const raw = text.length > 2 * MAX_BASE58 ? undefined : attempt(() => base58.decode(text))
  return raw === undefined || raw.length > MAX_BASE58
    ? "Invalid or unsupported Segwit (Bech32) or Base58 encoding."
    : "Invalid checksum or length of Base58 address (P2PKH or P2SH)"
}

const bytesText = (count: number): string => `${count} ${count === 1 ? "byte" : "bytes"}`

const programFault = (version: number, words: Array<number>, isBech32: boolean): string => {
  if (version === 0 && !isBech32) return "Version 0 witness address must use Bech32 checksum"
  if (version !== 0 && isBech32) return "Version 1+ witness address must use Bech32m checksum"
  const program = bech32.fromWordsUnsafe(words)
  if (!program) return "Invalid padding in Bech32 data section"
  if (version === 0) return `Invalid Bech32 v0 address program size (${bytesText(program.length)}), per BIP141`
  return version > 16
    ? "Invalid Bech32 address witness version"
    : `Invalid Bech32 address program size (${bytesText(program.length)})`
}

/** Returns why a text is no address of a network. Precondition: it is invalid. */
export const addressFault = (text: string, prefixes: AddressPrefixes): Bech32Fault => {
  // Error positions count bytes, as in Bitcoin Core: each byte is one character here.
  const bytes = Buffer.from(text).toString("latin1")
  if (bytes.slice(0, prefixes.witness.length).toLowerCase() !== prefixes.witness) {
    return { error: base58Fault(text, prefixes), locations: [] }
  }
  const short = bech32.decodeUnsafe(bytes)
  const decoded = short || bech32m.decodeUnsafe(bytes)
  if (!decoded) return bech32Fault(bytes)
  const [version, ...words] = decoded.words
  if (version === undefined) return { error: "Empty Bech32 data section", locations: [] }
  return {
    error: decoded.prefix === prefixes.witness
      ? programFault(version, words, Boolean(short))
      : "Invalid or unsupported prefix for Segwit (Bech32) address " +
        `(expected ${prefixes.witness}, got ${decoded.prefix}).`,
    locations: []
  }
}
