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

/** A private key, and the form its public key takes. */
export interface SecretKey {
  readonly secret: Uint8Array
  readonly compressed: boolean
  readonly publicKey: Uint8Array
}

/** The private key a text of the wallet import format stands for on this network. */
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

/** The extended key (BIP32) of this network that a text stands for, public or private. */
export const extendedKeyOf = (text: string, network: Network): HDKey | undefined =>
  attempt(() => HDKey.fromExtendedKey(withoutSpaceAround(text), prefixesOf(network).extended))

/** A child of an extended key; none: it is 255 steps from its root already, or the number gives no key. */
export const childKeyOf = (key: HDKey, child: number): HDKey | undefined => attempt(() => key.deriveChild(child))

/** Whether bytes are a public key, compressed or not, on the curve. Hybrid forms are none. */
export const isPublicKey = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes[0]! <= 4 && attempt(() => secp256k1.Point.fromBytes(bytes)) !== undefined

/** Whether bytes have the shape of a hybrid key (06, 07). */
export const isHybridKey = (bytes: Uint8Array): boolean => bytes.length === 65 && (bytes[0] === 6 || bytes[0] === 7)
