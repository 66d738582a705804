import { CORE_RELEASE, versionText } from "../../version.ts"

/** The version of Bitcoin Core that this program stands in for. */
export const CORE_VERSION = `v${CORE_RELEASE}`

/** The first line of `-version` and of `-help`; tools look for the version in it. */
export const versionLine = (program: string, called = "bitcoind"): string =>
  `Bitcoin Core ${program} version ${CORE_VERSION} ${called} (${versionText()})`
