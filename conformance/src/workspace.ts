import { fileURLToPath } from "node:url"

/** The directory that holds this repository. */
export const WORKSPACE = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")
