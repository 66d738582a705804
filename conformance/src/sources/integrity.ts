import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { parseJson } from "../formats/read-file.ts"
import type { Field } from "../formats/field.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { pinnedPackage } from "./npm.ts"
import type { Source, VectorFile } from "./source.ts"

const MANIFEST = "MANIFEST.json"

/** Checksums by path in the source. */
type Checksums = ReadonlyMap<string, string>

const entriesOf = (manifest: Field): ReadonlyArray<Field> =>
  Array.isArray(manifest.raw) ? manifest.items : manifest.get("files").items

/** What the manifests of a root say about its files; paths in a manifest are relative to it. */
const rootChecksums = (files: ReadonlyArray<VectorFile>): Checksums => {
  const checksums = new Map<string, string>()
  for (const file of files.filter(({ path }) => path === MANIFEST || path.endsWith(`/${MANIFEST}`))) {
    const folder = dirname(file.path)
    for (const entry of entriesOf(parseJson(readFileSync(file.absolute, "utf8"), file, ""))) {
      checksums.set(
        folder === "." ? entry.get("path").text : `${folder}/${entry.get("path").text}`,
        entry.get("sha256").text
      )
    }
  }
  return checksums
}

const checksumsOf = (source: Source, files: ReadonlyArray<VectorFile>): Checksums => {
  if (source.kind === "ours") return new Map()
  return source.kind === "npm"
    ? new Map(pinnedPackage().files.map(({ path, sha256 }) => [path, sha256]))
    : rootChecksums(files)
}

/** A file that is not what its manifest says, and how that shows. */
export interface Damage {
  readonly file: VectorFile
  readonly problem: string
}

const sha256Of = (file: VectorFile): string => createHash("sha256").update(readFileSync(file.absolute)).digest("hex")

const damageIn = (file: VectorFile, expected: string | undefined): Damage | undefined => {
  if (expected === undefined) {
    return file.source.kind === "npm"
      ? { file, problem: "has no checksum in vectors/manifest.json, so it must not be read" }
      : undefined
  }
  const actual = sha256Of(file)
  return actual === expected
    ? undefined
    : { file, problem: `is corrupted: its sha256 is ${actual}, its manifest says ${expected}` }
}

/**
 * Which of `wanted` are not what a manifest says they are. A root may come without one, and may lack files that its
 * manifest lists; every file of the npm package must be pinned.
 */
export const damages = (
  source: Source,
  files: ReadonlyArray<VectorFile>,
  wanted: ReadonlyArray<VectorFile>
): ReadonlyArray<Damage> => {
  try {
    const checksums = checksumsOf(source, files)
    return wanted.map((file) => damageIn(file, checksums.get(file.path))).filter((damage) => damage !== undefined)
  } catch (error) {
    if (!(error instanceof MalformedVector)) throw error
    const file = files.find(({ display }) => display === error.file)
    if (file === undefined) throw error
    return [{ file, problem: `${error.position}: ${error.problem}` }]
  }
}
