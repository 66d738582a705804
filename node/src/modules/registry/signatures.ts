import { type MaintainerSignature, signedManifestBytes } from "@lockstep/protocol/module-manifest/index.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { createHash } from "node:crypto"
import type { ParsedManifest } from "./parse-manifest.ts"

/** Which modules the operator loads. */
export interface SignaturePolicy {
  /** Refuse a module that is not signed. */
  readonly required: boolean
  /**
   * The public keys whose signatures count, in hexadecimal digits. None: every key of a manifest counts, which protects
   * against damage, and not against an author who is not trusted.
   */
  readonly trustedKeys: ReadonlySet<string>
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** ECDSA over secp256k1 and SHA-256 of the signed bytes; a signature with a high S is not valid. */
const isValid = ({ key, signature }: MaintainerSignature, digest: Uint8Array): boolean => {
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
export const signatureFault = (
  { manifest, content }: ParsedManifest,
  { required, trustedKeys }: SignaturePolicy
): string | undefined => {
  const { signatures } = manifest
  if (signatures === undefined) return required ? "is not signed, and only signed modules are loaded" : undefined
  const digest = manifestDigest(content)
  const invalid = signatures.maintainers.find((each) => !isValid(each, digest))
  if (invalid !== undefined) return `has a signature of ${invalid.name} that is not valid`
  const counted = trustedKeys.size === 0
    ? signatures.maintainers
    : signatures.maintainers.filter(({ key }) => trustedKeys.has(hexOf(key)))
  const { needed } = signatures.threshold
  if (counted.length >= needed) return undefined
  const whose = trustedKeys.size === 0 ? "" : " by trusted keys"
  return `has ${counted.length} of the ${needed} valid signatures${whose} that it needs`
}
