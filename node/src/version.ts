import { readFileSync } from "node:fs"

interface Manifest {
  readonly version: string
}

const manifest = (): Manifest =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Manifest

export const version = (): string => manifest().version

/** Name and version of this software, as `version` prints it. */
export const versionText = (): string => `Lockstep ${version()}`
