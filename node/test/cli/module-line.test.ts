import { assert, describe, it } from "@effect/vitest"
import { moduleLine } from "../../src/cli/module-line.ts"

const COMMANDS = ["start", "rpc", "sync", "module"]

describe("a command line that names a module and its command", () => {
  it.each([
    ["watcher show", "module run watcher show"],
    ["watcher show a --b", "module run watcher show -- a --b"],
    [
      "--network regtest -c node.toml --verbose watcher show",
      "--network regtest -c node.toml --verbose module run watcher show"
    ]
  ])("%s is %s", (line, meant) => assert.deepStrictEqual(moduleLine(line.split(" "), COMMANDS), meant.split(" ")))

  it.each(["", "watcher", "rpc getblock", "rcp getblock", "start", "--network watcher", "watcher --help"])(
    "%j is no such line",
    (line) => assert.deepStrictEqual(moduleLine(line.split(" "), COMMANDS), line.split(" "))
  )
})
