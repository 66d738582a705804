import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** The directory of the build that contains this code (`node/bin/build-program.js`); undefined in the sources. */
declare const lockstepPrograms: string | undefined

/** Programs of threads and processes beside the main thread, by their name in a build. */
const SOURCES = {
  engine: "./engine-worker/worker.ts",
  "script-worker": "./engine/script-pool/script-worker.ts",
  "module-launcher": "./modules/sandbox/unshare/launcher.ts",
  "store-probe": "./storage/key-value/opening/probe-child.ts"
} as const

/** Returns the URL of a program: the built file if this code is built and the file still exists, else the source. */
export const programUrl = (name: keyof typeof SOURCES): URL => {
  if (typeof lockstepPrograms !== "undefined") {
    const built = join(lockstepPrograms, `${name}.cjs`)
    if (existsSync(built)) return pathToFileURL(built)
  }
  return new URL(SOURCES[name], import.meta.url)
}
