import { readFileSync } from "node:fs"

interface Manifest {
  readonly version: string
}

const manifest = (): Manifest =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Manifest

export const version = (): string => manifest().version

/** Returns name and version of this software, as `version` prints them. */
export const versionText = (): string => `Lockstep ${version()}`

/** The release of Bitcoin Core whose behavior this node matches. */
const RELEASE = { major: 31, minor: 99, build: 0 } as const

/** That release in the form of user agents. */
export const CORE_RELEASE = `${RELEASE.major}.${RELEASE.minor}.${RELEASE.build}`

/** That release as one number, Bitcoin Core's `CLIENT_VERSION`, which clients compare with the release that they need. */
export const CORE_CLIENT_VERSION = RELEASE.major * 10_000 + RELEASE.minor * 100 + RELEASE.build
