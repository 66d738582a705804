import { signedFileBytes } from "@lockstep/protocol/module-manifest/index.ts"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { parse } from "smol-toml"
import { isValidSignature } from "./signatures.ts"

/** SHA-256 of files in hexadecimal digits, by their paths. */
export type Checksums = ReadonlyMap<string, string>

export const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/**
 * Returns the bytes of hexadecimal digits. An invalid digit yields fewer bytes, which are no valid key or signature.
 */
const bytesIn = (value: unknown, length: number): Uint8Array | undefined =>
  typeof value === "string" && value.length === 2 * length ? Buffer.from(value, "hex") : undefined

const signaturesIn = (text: string): ReadonlyArray<unknown> => {
  try {
    const { signatures } = parse(text)
    return Array.isArray(signatures) ? signatures : []
  } catch {
    return []
  }
}

/** Reports whether one of the signatures is valid and made by a trusted key. */
const isSigned = (file: Uint8Array, signatures: string, trustedKeys: ReadonlySet<string>): boolean => {
  const hash = createHash("sha256").update(file).digest()
  const digest = createHash("sha256").update(signedFileBytes({ hash, size: file.length })).digest()
  return signaturesIn(signatures).some((entry) => {
    const { key, signature } = entry as { readonly key?: unknown; readonly signature?: unknown }
    const [keyBytes, signatureBytes] = [bytesIn(key, 33), bytesIn(signature, 64)]
    if (keyBytes === undefined || signatureBytes === undefined) return false
    return trustedKeys.has(String(key).toLowerCase()) &&
      isValidSignature({ key: keyBytes, signature: signatureBytes }, digest)
  })
}

/** A line of `sha256sum`: 64 digits, a space, a space or an asterisk, and the path. */
const LINE = /^([0-9a-f]{64}) [ *](.+)$/i

/** Parses a signed `SHA256SUMS`. Fails with the reason why it cannot be trusted. */
export const signedChecksums = (
  file: Uint8Array,
  signatures: string,
  trustedKeys: ReadonlySet<string>
): Result.Result<Checksums, string> => {
  if (!isSigned(file, signatures, trustedKeys)) {
    return Result.fail("SHA256SUMS has no valid signature by a key of [modules].trusted_keys")
  }
  const lines = Buffer.from(file).toString("utf8").split("\n").filter((line) => line !== "").map((line) =>
    LINE.exec(line)
  )
  if (lines.some((line) => line === null)) return Result.fail("SHA256SUMS has a line that sha256sum does not write")
  return Result.succeed(new Map(lines.map((line) => [line![2]!, line![1]!.toLowerCase()])))
}
