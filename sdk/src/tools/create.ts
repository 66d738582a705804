import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { templateOf } from "./template.ts"
import { ToolError } from "./tool-error.ts"

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

const SDK_PACKAGE = fileURLToPath(new URL("../..", import.meta.url))

/** Creates a directory with a module that builds, runs and passes its test. This SDK is its only dependency. */
export const create = (where: string): string => {
  const directory = resolve(where)
  const name = basename(directory)
  if (!NAME.test(name) || ["node", "lockstep"].includes(name.toLowerCase())) {
    throw new ToolError(
      `${name} is no name of a module: choose a directory with up to 64 letters, digits, - and _, a letter first`
    )
  }
  if (existsSync(directory) && readdirSync(directory).length > 0) throw new ToolError(`${directory} is not empty`)
  for (const [path, text] of Object.entries(templateOf(name))) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  mkdirSync(join(directory, "node_modules", "@lockstep"), { recursive: true })
  symlinkSync(SDK_PACKAGE, join(directory, "node_modules", "@lockstep", "sdk"))
  return `${directory}: pnpm sdk run ${where}`
}
