import { secp256k1 } from "@noble/curves/secp256k1.js"
import { readFileSync, writeFileSync } from "node:fs"
import { ToolError } from "./tool-error.ts"

/** A maintainer's key pair. */
export interface SigningKey {
  readonly secret: Uint8Array
  /** Compressed public key. */
  readonly publicKey: Uint8Array
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const ofSecret = (secret: Uint8Array): SigningKey => ({ secret, publicKey: secp256k1.getPublicKey(secret, true) })

/** Generates a key and writes it to a file that only its owner may read. Never overwrites an existing file. */
export const generateKey = (file: string): SigningKey => {
  const key = ofSecret(secp256k1.utils.randomSecretKey())
  try {
    writeFileSync(file, `${hexOf(key.secret)}\n`, { mode: 0o600, flag: "wx" })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    throw new ToolError(`${file} is there: choose another file, so that no key is lost`)
  }
  return key
}

/** Reads a text file. */
export const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new ToolError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Reads the key from a file that `keygen` wrote. */
export const readKey = (file: string): SigningKey => {
  const text = readText(file).trim()
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new ToolError(`${file} has no key of 64 hexadecimal digits: keygen makes one`)
  }
  const secret = Uint8Array.from(Buffer.from(text, "hex"))
  if (!secp256k1.utils.isValidSecretKey(secret)) {
    throw new ToolError(`${file} has no key of secp256k1: keygen makes one`)
  }
  return ofSecret(secret)
}

/** Parses a public key from hexadecimal digits. */
export const publicKeyOf = (text: string): Uint8Array => {
  if (!/^0[23][0-9a-f]{64}$/i.test(text)) {
    throw new ToolError(`${text} is no compressed public key of 66 hexadecimal digits: keygen prints one`)
  }
  return Uint8Array.from(Buffer.from(text, "hex"))
}

/** Returns an ECDSA signature with a low S, in 64 bytes. */
export const signatureOf = ({ secret }: SigningKey, digest: Uint8Array): Uint8Array =>
  secp256k1.sign(digest, secret, { prehash: false })

export const isValidSignature = (
  { key, signature }: { readonly key: Uint8Array; readonly signature: Uint8Array },
  digest: Uint8Array
): boolean => {
  try {
    return secp256k1.verify(signature, digest, key, { prehash: false, lowS: true })
  } catch {
    return false
  }
}
