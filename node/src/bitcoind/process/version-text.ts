import { versionText } from "../../version.ts"

/** The version of Bitcoin Core that this program stands in for. */
const CORE_VERSION = "v31.99.0"

/** The first line of `-version` and of `-help`; tools look for the version in it. */
export const versionLine = (program: string): string =>
  `Bitcoin Core ${program} version ${CORE_VERSION} bitcoind (${versionText()})`
