import { signedFileBytes } from "@lockstep/protocol/module-manifest/index.ts"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { hexOf, isValidSignature, readKey, signatureOf } from "./keys.ts"
import { digestOf } from "./manifest-file.ts"
import { readSignatures, signatureText } from "./signature-file.ts"
import { ToolError } from "./tool-error.ts"

const fileDigest = (file: string): Uint8Array => createHash("sha256").update(signedFileBytes(digestOf(file))).digest()

/** Signs a single file: a program, or the checksums of a registry. */
export const signFile = (file: string, keyFile: string, out: string): string => {
  const key = readKey(keyFile)
  writeFileSync(out, signatureText([{ key: key.publicKey, signature: signatureOf(key, fileDigest(file)) }]))
  return `${out}: the signature of ${hexOf(key.publicKey)}`
}

/** Keys whose signatures of a file count, and the number required. */
export interface FilePolicy {
  readonly needed: number
  readonly trustedKeys: ReadonlySet<string>
}

/** Verifies the signatures of a file, which may be in several files. */
export const verifyFile = (
  file: string,
  signatureFiles: ReadonlyArray<string>,
  { needed, trustedKeys }: FilePolicy
): string => {
  const digest = fileDigest(file)
  const keys = new Set<string>()
  for (const signatureFile of signatureFiles) {
    for (const each of readSignatures(signatureFile)) {
      const key = hexOf(each.key)
      if (!isValidSignature(each, digest)) {
        throw new ToolError(`${signatureFile}: the signature of ${key} is not one of ${file}`)
      }
      if (trustedKeys.size === 0 || trustedKeys.has(key)) keys.add(key)
    }
  }
  const whose = trustedKeys.size === 0 ? "" : " by trusted keys"
  if (keys.size < needed) {
    throw new ToolError(`${file} has ${keys.size} of the ${needed} valid signatures${whose} that it needs`)
  }
  return `${file}: ${keys.size} valid signatures${whose}`
}
