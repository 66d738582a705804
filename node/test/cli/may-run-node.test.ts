import { assert, describe, it } from "@effect/vitest"
import { commandTree } from "../../src/cli/command-tree.ts"
import { mayRunNode } from "../../src/cli/may-run-node.ts"

describe("mayRunNode", () => {
  it("holds for start and for no command, with any options", () => {
    for (const line of ["", "start", "--network regtest start", "start --set max_peers=3", "-d /data -c node.toml"]) {
      assert.isTrue(mayRunNode(line.split(" ").filter((word) => word !== "")), line)
    }
  })

  it("holds for no other command, and not for a question about one", () => {
    const names = commandTree.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    assert.include(names, "rpc")
    for (const name of names.filter((each) => each !== "start")) {
      assert.isFalse(mayRunNode(["--network", "regtest", name, "start"]), name)
    }
    for (const option of ["--help", "-h", "--version", "--completions"]) {
      assert.isFalse(mayRunNode(["start", option]), option)
    }
  })
})
