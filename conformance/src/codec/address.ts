import { createBase58check } from "@scure/base"
import { createHash } from "node:crypto"
import { bytesEqual } from "@lockstep/kernel/internal/bytes/equal.ts"
import { segwitAddressOf, segwitScriptOf } from "./segwit-address.ts"

/** What addresses and keys of a network start with. */
export interface AddressPrefixes {
  readonly publicKeyHash: number
  readonly scriptHash: number
  readonly privateKey: number
  readonly hrp: string
}

const TEST = { publicKeyHash: 111, scriptHash: 196, privateKey: 239 }

/** Prefixes by the name that vectors give the network. */
export const PREFIXES: Readonly<Record<string, AddressPrefixes>> = {
  main: { publicKeyHash: 0, scriptHash: 5, privateKey: 128, hrp: "bc" },
  test: { ...TEST, hrp: "tb" },
  testnet4: { ...TEST, hrp: "tb" },
  signet: { ...TEST, hrp: "tb" },
  regtest: { ...TEST, hrp: "bcrt" }
}

const base58check = createBase58check((data: Uint8Array) => new Uint8Array(createHash("sha256").update(data).digest()))

const payloadOf = (text: string): Uint8Array | undefined => {
  try {
    return base58check.decode(text)
  } catch {
    return undefined
  }
}

const HASH_SIZE = 20
const KEY_HASH_SCRIPT = [Uint8Array.of(0x76, 0xa9, HASH_SIZE), Uint8Array.of(0x88, 0xac)] as const
const SCRIPT_HASH_SCRIPT = [Uint8Array.of(0xa9, HASH_SIZE), Uint8Array.of(0x87)] as const

const scriptAround = (hash: Uint8Array, [before, after]: readonly [Uint8Array, Uint8Array]): Uint8Array =>
  Uint8Array.of(...before, ...hash, ...after)

const hashInside = (script: Uint8Array, [before, after]: readonly [Uint8Array, Uint8Array]): Uint8Array | undefined => {
  const hash = script.subarray(before.length, before.length + HASH_SIZE)
  return bytesEqual(scriptAround(hash, [before, after]), script) ? hash : undefined
}

/** The scriptPubKey that `address` stands for on a network; none when it is no address there. */
export const scriptOf = (address: string, prefixes: AddressPrefixes): Uint8Array | undefined => {
  const payload = payloadOf(address)
  if (payload?.length !== 1 + HASH_SIZE) return segwitScriptOf(prefixes.hrp, address)
  const hash = payload.subarray(1)
  if (payload[0] === prefixes.publicKeyHash) return scriptAround(hash, KEY_HASH_SCRIPT)
  return payload[0] === prefixes.scriptHash ? scriptAround(hash, SCRIPT_HASH_SCRIPT) : undefined
}

/** The address of a scriptPubKey that has one. */
export const addressOf = (script: Uint8Array, prefixes: AddressPrefixes): string => {
  const keyHash = hashInside(script, KEY_HASH_SCRIPT)
  if (keyHash !== undefined) return base58check.encode(Uint8Array.of(prefixes.publicKeyHash, ...keyHash))
  const scriptHash = hashInside(script, SCRIPT_HASH_SCRIPT)
  return scriptHash === undefined
    ? segwitAddressOf(prefixes.hrp, script)
    : base58check.encode(Uint8Array.of(prefixes.scriptHash, ...scriptHash))
}

/** A private key as wallets write it, and whether its public key is meant compressed. */
interface PrivateKey {
  readonly key: Uint8Array
  readonly compressed: boolean
}

const KEY_SIZE = 32
const COMPRESSED = 1

/** The private key `text` stands for on a network; none when it is none there. */
export const privateKeyOf = (text: string, prefixes: AddressPrefixes): PrivateKey | undefined => {
  const payload = payloadOf(text)
  if (payload === undefined || payload[0] !== prefixes.privateKey) return undefined
  const key = payload.subarray(1, 1 + KEY_SIZE)
  if (payload.length === 1 + KEY_SIZE) return { key, compressed: false }
  return payload.length === 2 + KEY_SIZE && payload[1 + KEY_SIZE] === COMPRESSED ? { key, compressed: true } : undefined
}

/** A private key as wallets write it. */
export const privateKeyText = ({ key, compressed }: PrivateKey, prefixes: AddressPrefixes): string =>
  base58check.encode(Uint8Array.of(prefixes.privateKey, ...key, ...(compressed ? [COMPRESSED] : [])))
