import {
  type MaintainerSignature,
  signatureFault,
  signedManifestBytes,
  type SignaturePolicy
} from "@lockstep/protocol/module-manifest/index.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { createHash } from "node:crypto"
import type { ParsedManifest } from "./parse-manifest.ts"

/** Verifies an ECDSA signature over secp256k1 and SHA-256 of the signed bytes. A signature with a high S is invalid. */
export const isValidSignature = (
  { key, signature }: Pick<MaintainerSignature, "key" | "signature">,
  digest: Uint8Array
): boolean => {
  try {
    return secp256k1.verify(signature, digest, key, { prehash: false, lowS: true })
  } catch {
    return false
  }
}

/** Returns the digest that each maintainer of a manifest signs. */
export const manifestDigest = (content: ParsedManifest["content"]): Uint8Array =>
  createHash("sha256").update(signedManifestBytes(content)).digest()

/** Returns the reason why the signatures of a manifest do not allow loading it, or `undefined` if they do. */
export const manifestSignatureFault = (
  { content, manifest }: ParsedManifest,
  policy: SignaturePolicy
): string | undefined => {
  const digest = manifest.signatures === undefined ? new Uint8Array() : manifestDigest(content)
  return signatureFault(manifest, policy, (each) => isValidSignature(each, digest))
}
