import { fuzzCli } from "../property-tests/fuzz/cli.ts"

/**
 * Where targets are: with the property tests those of the kernel, with the node's tests those that need a whole node.
 */
const MODULES = ["../property-tests/fuzz/targets/all.ts", "../node/test/fuzz/targets.ts"]

process.exitCode = await fuzzCli(process.argv.slice(2), MODULES.map((path) => new URL(path, import.meta.url).href))
