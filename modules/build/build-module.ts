import { build } from "esbuild"
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Libraries in CommonJS ask for modules of Node.js by `require`, which a program in ESM does not have. */
const BANNER = `#!/usr/bin/env node
import { createRequire as requireBy } from "node:module"
const require = requireBy(import.meta.url)`

/** The modules that come with the node. */
export const shippedModules = (): ReadonlyArray<string> =>
  readdirSync(ROOT).filter((name) => existsSync(join(ROOT, name, "module.toml"))).toSorted()

/**
 * Makes a module ready to run: `<directory>/<name>` gets its manifest and its program, a single file, since a sandbox shows a
 * module nothing but its own directory. Answers the path of the program.
 */
export const buildModule = async (name: string, directory: string): Promise<string> => {
  const source = join(ROOT, name)
  const target = join(directory, name)
  const program = join(target, `${name}.mjs`)
  mkdirSync(target, { recursive: true })
  cpSync(join(source, "module.toml"), join(target, "module.toml"))
  await build({
    entryPoints: [join(source, "src", "main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    target: "node22",
    format: "esm",
    banner: { js: BANNER },
    legalComments: "none",
    logLevel: "silent"
  })
  chmodSync(program, 0o755)
  return program
}
