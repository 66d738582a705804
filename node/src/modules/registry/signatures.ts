import {
  type MaintainerSignature,
  signatureFault,
  signedManifestBytes,
  type SignaturePolicy
} from "@lockstep/protocol/module-manifest/index.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { createHash } from "node:crypto"
import type { ParsedManifest } from "./parse-manifest.ts"

/** ECDSA over secp256k1 and SHA-256 of the signed bytes; a signature with a high S is not valid. */
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

/** The digest that each maintainer of a manifest signs. */
export const manifestDigest = (content: ParsedManifest["content"]): Uint8Array =>
  createHash("sha256").update(signedManifestBytes(content)).digest()

/** Why the signatures of a manifest do not allow to load it; nothing where they do. */
export const manifestSignatureFault = (
  { content, manifest }: ParsedManifest,
  policy: SignaturePolicy
): string | undefined => {
  const digest = manifest.signatures === undefined ? new Uint8Array() : manifestDigest(content)
  return signatureFault(manifest, policy, (each) => isValidSignature(each, digest))
}
