import {
  type Manifest,
  manifestFaultText,
  readManifest,
  signedManifestBytes
} from "@lockstep/protocol/module-manifest/index.ts"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parse } from "smol-toml"
import { readText } from "./keys.ts"
import { ToolError } from "./tool-error.ts"

type Table = Readonly<Record<string, unknown>>

/** A module on disk, with its parsed manifest. */
export interface ManifestFile {
  readonly directory: string
  readonly path: string
  readonly text: string
  readonly content: Table
  readonly manifest: Manifest
}

/** Placeholder for a missing signature, so that the other fields can be checked. */
const NO_SIGNATURE = "00".repeat(64)

const withSignatures = (content: Table): Table => {
  const signatures = content["signatures"] as Table | undefined
  const maintainers = signatures?.["maintainers"]
  return Array.isArray(maintainers)
    ? {
      ...content,
      signatures: {
        ...signatures,
        maintainers: maintainers.map((each: Table) => ({ signature: NO_SIGNATURE, ...each }))
      }
    }
    : content
}

const parsed = (path: string, text: string): Table => {
  try {
    return parse(text)
  } catch (error) {
    throw new ToolError(`${path} is not valid TOML: ${(error as Error).message.split("\n")[0]}`)
  }
}

const pathOf = (where: string): { readonly directory: string; readonly path: string } => {
  if (!existsSync(where) || !statSync(where).isDirectory()) {
    throw new ToolError(`${where} is no directory: name the directory of a module, which has a module.toml`)
  }
  return { directory: where, path: join(where, "module.toml") }
}

/** Reads the manifest of a module. With `isUnsigned`, signatures may be missing. */
export const readManifestFile = (where: string, { isUnsigned }: { readonly isUnsigned: boolean }): ManifestFile => {
  const { directory, path } = pathOf(where)
  const text = readText(path)
  const content = parsed(path, text)
  const manifest = readManifest(isUnsigned ? withSignatures(content) : content)
  if (Result.isFailure(manifest)) {
    throw new ToolError(manifest.failure.map((fault) => `${path}: ${manifestFaultText(fault)}`).join("\n"))
  }
  return { directory, path, text, content, manifest: manifest.success }
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

/** Returns the digest that the maintainers of a manifest sign. */
export const manifestDigest = ({ content }: ManifestFile): Uint8Array => sha256(signedManifestBytes(content))

/** Size in bytes and SHA-256 of a file. */
export interface FileDigest {
  readonly size: number
  readonly hash: Uint8Array
}

export const digestOf = (file: string): FileDigest => {
  try {
    const bytes = readFileSync(file)
    return { size: bytes.length, hash: sha256(bytes) }
  } catch (error) {
    throw new ToolError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Finds the program of a module where the node looks for it. */
export const programOf = ({ directory, manifest: { entryPoint } }: ManifestFile): string => {
  const places = [join(directory, "target", "release", entryPoint), join(directory, entryPoint)]
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new ToolError(`there is no program ${entryPoint} in ${directory}: build it first`)
  return found
}

/** Returns the difference between the program and its manifest, or `undefined` if they match. */
export const programFault = (file: ManifestFile): string | undefined => {
  const { binary } = file.manifest
  const path = programOf(file)
  if ((statSync(path).mode & 0o111) === 0) return `${path} is not executable`
  if (binary === undefined) return undefined
  const { hash, size } = digestOf(path)
  if (binary.size !== size) return `${path} has ${size} bytes, and the manifest says ${binary.size}`
  return Buffer.compare(binary.hash, hash) === 0 ? undefined : `${path} has another hash than the manifest says`
}
