import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { METHODS } from "../../src/rpc/methods/table.ts"
import { inDirectory, runNodeIn } from "./command-line.ts"

const BASH = "/bin/bash"

/** What Bash offers for the last of these words, with the script of `--completions bash`. */
const offered = (script: string, words: ReadonlyArray<string>): Array<string> => {
  const quoted = words.map((word) => `'${word}'`).join(" ")
  const program = `source ${script}
compopt() { :; }
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}
_node_names node "\${COMP_WORDS[COMP_CWORD]}" x
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stderr, stdout } = spawnSync(BASH, ["--norc", "-c", program], { encoding: "utf8", timeout: 10_000 })
  assert.strictEqual(stderr, "")
  return stdout.split("\n").filter((line) => line !== "")
}

describe("completion", () => {
  it.runIf(existsSync(BASH))("of commands, methods, parameters and what help explains, in Bash", async () => {
    await inDirectory(async (directory) => {
      const { code, stderr, stdout } = await runNodeIn(directory, ["--completions", "bash"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const script = join(directory, "node.bash")
      writeFileSync(script, stdout)
      assert.deepStrictEqual(offered(script, ["node", "stat"]), ["status"])
      assert.sameMembers(offered(script, ["node", "rpc", ""]), [...METHODS.keys()])
      assert.includeMembers(offered(script, ["node", "rpc", "getblockc"]), ["getblockchaininfo", "getblockcount"])
      assert.deepStrictEqual(offered(script, ["node", "rpc", "getblock", ""]), ["blockhash=", "verbosity="])
      assert.deepStrictEqual(offered(script, ["node", "rpc", "getblock", "00ff", "ver"]), ["verbosity="])
      assert.includeMembers(offered(script, ["node", "rpc", "help", "getblockh"]), ["getblockhash", "getblockheader"])
      assert.deepStrictEqual(offered(script, ["node", "--network", "signet", "rpc", "getdiff"]), ["getdifficulty"])
      assert.deepStrictEqual(offered(script, ["node", "rpc", "uptime", "x"]), [])
    })
  })

  for (const shell of ["zsh", "fish", "powershell"]) {
    it(`of methods and parameters, in the script for ${shell}`, async () => {
      const { code, stdout } = await inDirectory((directory) => runNodeIn(directory, ["--completions", shell]))
      assert.strictEqual(code, 0)
      assert.include(stdout, "getblockchaininfo")
      assert.match(stdout, /['(]blockhash\\*= *'?,? *'?verbosity\\*=/)
    })
  }

  it("needs a shell it knows", async () => {
    const { code, stderr } = await inDirectory((directory) => runNodeIn(directory, ["--completions", "csh"]))
    assert.strictEqual(code, 2)
    assert.include(stderr, "--completions: expected")
    assert.include(stderr, "zsh")
  })
})
