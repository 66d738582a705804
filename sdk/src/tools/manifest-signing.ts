import { signatureFault, type SignaturePolicy } from "@lockstep/protocol/module-manifest/index.ts"
import { writeFileSync } from "node:fs"
import { hexOf, isValidSignature, publicKeyOf, readKey, signatureOf } from "./keys.ts"
import {
  digestOf,
  manifestDigest,
  type ManifestFile,
  programFault,
  programOf,
  readManifestFile
} from "./manifest-file.ts"
import { type DetachedSignature, readSignatures, signatureText } from "./signature-file.ts"
import { ToolError } from "./tool-error.ts"

const TABLE = /^\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(#.*)?$/

/** Returns the text without the lines that `prepare` writes. */
const withoutSigned = (text: string): string => {
  let isDropped = false
  const kept = text.split("\n").filter((line) => {
    const table = TABLE.exec(line)?.[1]
    if (table !== undefined) isDropped = ["binary", "signatures", "signatures.maintainers"].includes(table)
    return !isDropped
  })
  return `${kept.join("\n").trimEnd()}\n`
}

const maintainerIn = (text: string): { readonly name: string; readonly key: string } => {
  const at = text.lastIndexOf("=")
  if (at < 1) throw new ToolError(`--maintainer ${text}: write NAME=KEY with the public key that keygen printed`)
  return { name: text.slice(0, at), key: hexOf(publicKeyOf(text.slice(at + 1))) }
}

/**
 * Prepares a manifest for signing: writes the program's size and hash, the threshold and the maintainers' keys into it.
 */
export const prepare = (where: string, threshold: string, maintainers: ReadonlyArray<string>): string => {
  const file = readManifestFile(where, { isUnsigned: true })
  const { hash, size } = digestOf(programOf(file))
  const url = file.manifest.binary?.downloadUrl
  const tables = [
    `[binary]\nhash = "sha256:${hexOf(hash)}"\nsize = ${size}`,
    ...url === undefined ? [] : [`download_url = ${JSON.stringify(url)}`],
    `\n[signatures]\nthreshold = ${JSON.stringify(threshold)}`,
    ...maintainers.map(maintainerIn).map(({ key, name }) =>
      `\n[[signatures.maintainers]]\nname = ${JSON.stringify(name)}\nkey = "${key}"`
    )
  ]
  writeFileSync(file.path, `${withoutSigned(file.text)}\n${tables.join("\n")}\n`)
  try {
    readManifestFile(where, { isUnsigned: true })
  } catch (error) {
    writeFileSync(file.path, file.text)
    throw error
  }
  return `${file.path}: ready to be signed by ${maintainers.length} maintainers, ${threshold}`
}

const signedBy = ({ manifest: { signatures } }: ManifestFile, key: Uint8Array): string => {
  const found = signatures?.maintainers.find((each) => Buffer.compare(each.key, key) === 0)
  if (found !== undefined) return found.name
  throw new ToolError(
    `the manifest names no maintainer with the key ${hexOf(key)}: prepare writes the maintainers into it`
  )
}

/** Signs a manifest and with it the program. The signature is written to a separate file. */
export const sign = (where: string, keyFile: string, out: string): string => {
  const file = readManifestFile(where, { isUnsigned: true })
  const key = readKey(keyFile)
  const name = signedBy(file, key.publicKey)
  const fault = programFault(file)
  if (fault !== undefined) throw new ToolError(`${fault}: prepare the manifest again`)
  const signature = signatureOf(key, manifestDigest(file))
  writeFileSync(out, signatureText([{ key: key.publicKey, signature }]))
  return `${out}: the signature of ${name}`
}

const LINE_OF_SIGNATURE = /^\s*signature\s*=/

/** Inserts the signature after the line of its key. */
const withSignature = (text: string, { key, signature }: DetachedSignature): string => {
  const lines = text.split("\n")
  const at = lines.findIndex((line) => /^\s*key\s*=/.test(line) && line.toLowerCase().includes(hexOf(key)))
  const old = LINE_OF_SIGNATURE.test(lines[at + 1] ?? "") ? 1 : 0
  return lines.toSpliced(at + 1, old, `signature = "${hexOf(signature)}"`).join("\n")
}

/** Writes signatures into a manifest after verifying each of them. */
export const aggregate = (where: string, signatureFiles: ReadonlyArray<string>): string => {
  const file = readManifestFile(where, { isUnsigned: true })
  const digest = manifestDigest(file)
  let { text } = file
  for (const signatureFile of signatureFiles) {
    for (const each of readSignatures(signatureFile)) {
      const name = signedBy(file, each.key)
      if (!isValidSignature(each, digest)) {
        throw new ToolError(`${signatureFile}: the signature of ${name} is not one of this manifest`)
      }
      text = withSignature(text, each)
    }
  }
  writeFileSync(file.path, text)
  return verify(where, { required: true, trustedKeys: new Set() })
}

/** Verifies a module as the node does before it loads it. */
export const verify = (where: string, policy: SignaturePolicy): string => {
  const file = readManifestFile(where, { isUnsigned: false })
  const digest = manifestDigest(file)
  const fault = signatureFault(file.manifest, policy, (each) => isValidSignature(each, digest))
  if (fault !== undefined) throw new ToolError(`the module ${file.manifest.name} ${fault}`)
  const wrong = programFault(file)
  if (wrong !== undefined) throw new ToolError(wrong)
  const { name, signatures, versionText } = file.manifest
  const signed = signatures === undefined
    ? "not signed"
    : `${signatures.maintainers.length} valid signatures, ${signatures.threshold.needed} needed`
  return `${name} ${versionText}: ${signed}`
}
