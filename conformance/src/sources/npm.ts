import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { UsageError } from "../cli/usage-error.ts"
import { RUN_PNPM, WORKSPACE } from "../workspace.ts"
import type { Source } from "./source.ts"

/** A file of an npm package, pinned. */
interface PinnedFile {
  readonly path: string
  readonly sha256: string
}

/** The npm package that vectors are taken from, as `vectors/manifest.json` pins it. */
interface PinnedPackage {
  readonly name: string
  readonly version: string
  readonly files: ReadonlyArray<PinnedFile>
}

const MANIFEST = "vectors/manifest.json"

/** What `vectors/manifest.json` pins. */
export const pinnedPackage = (): PinnedPackage =>
  (JSON.parse(readFileSync(`${WORKSPACE}/${MANIFEST}`, "utf8")) as { readonly package: PinnedPackage }).package

/** The installed package. Nothing of it is ever imported: its test data are read as files. */
export const npmSource = (): Source => {
  const { name, version } = pinnedPackage()
  const again = `run \`${RUN_PNPM} install\` in the repository`
  const manifest = ((): string => {
    try {
      return createRequire(import.meta.url).resolve(`${name}/package.json`)
    } catch {
      throw new UsageError(`The npm package ${name}, which vectors are read from, is not installed: ${again}.`)
    }
  })()
  const installed = (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version
  if (installed !== version) {
    throw new UsageError(
      `The npm package ${name} is installed in version ${installed}, but ${MANIFEST} pins ${version}: ${again}.`
    )
  }
  return { kind: "npm", label: name, directory: dirname(manifest) }
}
