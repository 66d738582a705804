import { buildModule, shippedModules } from "./build-module.ts"

/** `pnpm modules DIRECTORY NAME…`: puts modules that come with the node, ready to run, where a node looks for them. */

const USAGE = `pnpm modules DIRECTORY NAME…
  DIRECTORY  the modules_dir of a node
  NAME       ${shippedModules().join(", ")}`

const [directory, ...names] = process.argv.slice(2)
const unknown = names.filter((name) => !shippedModules().includes(name))
if (directory === undefined || names.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`there is no module ${unknown.join(", ")}\n`)
  console.error(USAGE)
  process.exitCode = 2
} else {
  for (const name of names) console.log(await buildModule(name, directory))
}
