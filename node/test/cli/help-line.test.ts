import { assert, describe, it } from "@effect/vitest"
import { helpLine } from "../../src/cli/help-line.ts"

const TREE = { start: {}, rpc: {}, config: { explain: {}, validate: {} }, module: { run: {}, load: {} } }

describe("a command line that asks for help in a word", () => {
  it.each([
    ["help", "--help"],
    ["help config", "config --help"],
    ["help config explain", "config explain --help"],
    ["help rpc", "rpc --help"],
    ["help nothing", "nothing --help"],
    ["config help", "config --help"],
    ["config explain help", "config explain --help"],
    ["config validate help", "config validate --help"],
    ["start help", "start --help"],
    ["module load help", "module load --help"],
    ["-n regtest config help", "-n regtest config --help"],
    ["--data-dir help start help", "--data-dir help start --help"]
  ])("%s is %s", (line, meant) => assert.deepStrictEqual(helpLine(line.split(" "), TREE), meant.split(" ")))

  it.each([
    "",
    "start",
    "rpc help",
    "rpc help getblock",
    "module run help",
    "module run watcher help",
    "watcher help",
    "--data-dir help",
    "config help me",
    "config validate -- help"
  ])("%j is no such line", (line) => assert.deepStrictEqual(helpLine(line.split(" "), TREE), line.split(" ")))
})
