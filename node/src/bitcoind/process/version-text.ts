import { CORE_RELEASE, versionText } from "../../version.ts"

/** The version of Bitcoin Core that this program replaces. */
export const CORE_VERSION = `v${CORE_RELEASE}`

/** Returns the first line of `-version` and of `-help`. Tools look for the version in it. */
export const versionLine = (program: string, called = "bitcoind"): string =>
  `Bitcoin Core ${program} version ${CORE_VERSION} ${called} (${versionText()})`
