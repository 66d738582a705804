import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import { bech32, bech32m } from "@scure/base"
import { base58CheckBytes, base58CheckText } from "./base58-bytes.ts"
import type { ScriptKind } from "./script-kind.ts"

const HASH_SIZE = 20

const base58Address = (prefix: number, payload: Uint8Array): string => {
  const bytes = new Uint8Array(1 + payload.length)
  bytes[0] = prefix
  bytes.set(payload, 1)
  return base58CheckText(bytes)
}

/** Returns the address of an output script, or `undefined` if it has no address. */
export const addressOf = (kind: ScriptKind, prefixes: AddressPrefixes): string | undefined => {
  if ("program" in kind) {
    const coder = kind.version === 0 ? bech32 : bech32m
    return coder.encode(prefixes.witness, [kind.version, ...coder.toWords(kind.program)])
  }
  if (!("hash" in kind)) return undefined
  return base58Address(kind.type === "pubkeyhash" ? prefixes.publicKeyHash : prefixes.scriptHash, kind.hash)
}

const base58Script = (address: string, prefixes: AddressPrefixes): Uint8Array | undefined => {
  const bytes = base58CheckBytes(address)
  if (bytes === undefined || bytes.length !== 1 + HASH_SIZE) return undefined
  const payload = bytes.subarray(1)
  if (bytes[0] === prefixes.publicKeyHash) return Uint8Array.of(0x76, 0xa9, HASH_SIZE, ...payload, 0x88, 0xac)
  return bytes[0] === prefixes.scriptHash ? Uint8Array.of(0xa9, HASH_SIZE, ...payload, 0x87) : undefined
}

/** Restricts addresses to ASCII. Other letters may become ASCII in lower case, such as the Kelvin sign. */
const ASCII = /^[\x21-\x7e]+$/

const witnessScript = (address: string, prefixes: AddressPrefixes): Uint8Array | undefined => {
  if (!ASCII.test(address)) return undefined
  for (const coder of [bech32, bech32m]) {
    const decoded = coder.decodeUnsafe(address)
    if (!decoded || decoded.prefix !== prefixes.witness) continue
    const [version = 17, ...words] = decoded.words
    const program = coder.fromWordsUnsafe(words)
    if (!program || version > 16 || (version === 0) !== (coder === bech32)) return undefined
    const hasLength = version === 0
      ? program.length === 20 || program.length === 32
      : program.length >= 2 && program.length <= 40
    return hasLength ? Uint8Array.of(version === 0 ? 0 : 0x50 + version, program.length, ...program) : undefined
  }
  return undefined
}

/** Returns the output script of an address of this network, or `undefined` if the address is invalid. */
export const scriptOfAddress = (address: string, prefixes: AddressPrefixes): Uint8Array | undefined =>
  witnessScript(address, prefixes) ?? base58Script(address, prefixes)
