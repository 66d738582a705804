import { secp256k1 } from "@noble/curves/secp256k1.js"
import { HDKey } from "@scure/bip32"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { base58CheckBytes, withoutSpaceAround } from "../script-text/base58-bytes.ts"

const attempt = <A>(decode: () => A): A | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}

interface KeyPrefixes {
  readonly secret: number
  readonly extended: { readonly public: number; readonly private: number }
}

const MAINNET: KeyPrefixes = { secret: 0x80, extended: { public: 0x0488b21e, private: 0x0488ade4 } }
const TEST: KeyPrefixes = { secret: 0xef, extended: { public: 0x043587cf, private: 0x04358394 } }

const prefixesOf = ({ name }: Network): KeyPrefixes => name === "mainnet" ? MAINNET : TEST

/** A private key and the form of its public key. */
export interface SecretKey {
  readonly secret: Uint8Array
  readonly compressed: boolean
  readonly publicKey: Uint8Array
}

/** Parses a private key of this network in the wallet import format. */
export const secretKeyOf = (text: string, network: Network): SecretKey | undefined => {
  const bytes = base58CheckBytes(text)
  if (bytes === undefined || bytes[0] !== prefixesOf(network).secret) return undefined
  const compressed = bytes.length === 34 && bytes[33] === 1
  if (!compressed && bytes.length !== 33) return undefined
  const secret = bytes.slice(1, 33)
  return secp256k1.utils.isValidSecretKey(secret)
    ? { secret, compressed, publicKey: secp256k1.getPublicKey(secret, compressed) }
    : undefined
}

/** Parses an extended key (BIP32) of this network, public or private. */
export const extendedKeyOf = (text: string, network: Network): HDKey | undefined =>
  attempt(() => HDKey.fromExtendedKey(withoutSpaceAround(text), prefixesOf(network).extended))

/**
 * Derives a child of an extended key. Returns `undefined` if the key is 255 steps below its root already, or the number
 * yields no key.
 */
export const childKeyOf = (key: HDKey, child: number): HDKey | undefined => attempt(() => key.deriveChild(child))

/** Reports whether bytes are a public key on the curve, compressed or not. Hybrid keys are not accepted. */
export const isPublicKey = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes[0]! <= 4 && attempt(() => secp256k1.Point.fromBytes(bytes)) !== undefined

/** Reports whether bytes have the form of a hybrid key (06, 07). */
export const isHybridKey = (bytes: Uint8Array): boolean => bytes.length === 65 && (bytes[0] === 6 || bytes[0] === 7)
