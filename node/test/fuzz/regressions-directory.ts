import { fileURLToPath } from "node:url"

/** Where inputs that once showed a fault are kept. */
export const REGRESSIONS = fileURLToPath(new URL("regressions", import.meta.url))
