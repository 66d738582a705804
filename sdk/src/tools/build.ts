import { build as bundle } from "esbuild"
import { chmodSync, existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { readManifestFile } from "./manifest-file.ts"
import { ToolError } from "./tool-error.ts"

const SDK = fileURLToPath(new URL("..", import.meta.url))

/** Source file of a module's program. */
const MAIN = join("src", "main.ts")

/** Bundles the program of a module and all its imports into one file, which needs only Node.js. */
export const build = async (where: string): Promise<string> => {
  const { directory, manifest } = readManifestFile(where, { isUnsigned: true })
  const main = join(directory, MAIN)
  if (!existsSync(main)) throw new ToolError(`there is no ${main}: the program of a module begins there`)
  const program = join(directory, "target", "release", manifest.entryPoint)
  mkdirSync(dirname(program), { recursive: true })
  const built = await bundle({
    entryPoints: [main],
    outfile: program,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "esm",
    alias: { "@lockstep/sdk/test-kit": join(SDK, "test-kit", "fake-node.ts"), "@lockstep/sdk": join(SDK, "index.ts") },
    banner: { js: "#!/usr/bin/env node" },
    legalComments: "none",
    tsconfigRaw: {},
    logLevel: "silent"
  }).catch((error: Error) => {
    throw new ToolError(error.message)
  })
  for (const { text } of built.warnings) process.stderr.write(`${text}\n`)
  chmodSync(program, 0o755)
  return program
}
