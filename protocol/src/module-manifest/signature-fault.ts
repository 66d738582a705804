import type { MaintainerSignature, Manifest } from "./manifest.ts"

/** The operator's policy for loading signed modules. */
export interface SignaturePolicy {
  /** True if unsigned modules are refused. */
  readonly required: boolean
  /**
   * The public keys whose signatures count, in hexadecimal digits. If empty, every key of a manifest counts, which
   * protects against damage but not against an untrusted author.
   */
  readonly trustedKeys: ReadonlySet<string>
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Returns the reason why the signatures of a manifest do not allow loading it, or `undefined` if they do. `isValid`
 * verifies one signature.
 */
export const signatureFault = (
  { signatures }: Manifest,
  { required, trustedKeys }: SignaturePolicy,
  isValid: (signature: MaintainerSignature) => boolean
): string | undefined => {
  if (signatures === undefined) return required ? "is not signed, and only signed modules are loaded" : undefined
  const invalid = signatures.maintainers.find((each) => !isValid(each))
  if (invalid !== undefined) return `has a signature of ${invalid.name} that is not valid`
  const counted = trustedKeys.size === 0
    ? signatures.maintainers
    : signatures.maintainers.filter(({ key }) => trustedKeys.has(hexOf(key)))
  const { needed } = signatures.threshold
  if (counted.length >= needed) return undefined
  const whose = trustedKeys.size === 0 ? "" : " by trusted keys"
  return `has ${counted.length} of the ${needed} valid signatures${whose} that it needs`
}
