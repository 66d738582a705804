import { fileURLToPath } from "node:url"

/** The directory that holds this repository. */
export const WORKSPACE = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")

/** How a command of this repository is run where nothing but npm is installed. */
export const RUN_PNPM = "npx --yes pnpm@12.21.0"
