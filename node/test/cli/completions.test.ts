import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { METHODS } from "../../src/methods/table.ts"
import { inDirectory, runNodeIn } from "./command-line.ts"
import { patience } from "../process/patience.ts"

const BASH = "/bin/bash"

/** What Bash offers for the last of these words, with the script of `--completions bash`. */
const offered = (script: string, words: ReadonlyArray<string>): Array<string> => {
  const quoted = words.map((word) => `'${word}'`).join(" ")
  const program = `source ${script}
compopt() { :; }
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}
_lockstep_names lockstep "\${COMP_WORDS[COMP_CWORD]}" x
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stderr, stdout } = spawnSync(BASH, ["--norc", "-c", program], { encoding: "utf8", timeout: patience(10_000) })
  assert.strictEqual(stderr, "")
  return stdout.split("\n").filter((line) => line !== "")
}

describe("completion", () => {
  it.runIf(existsSync(BASH))("of commands, methods, parameters and what help explains, in Bash", async () => {
    await inDirectory(async (directory) => {
      const { code, stderr, stdout } = await runNodeIn(directory, ["--completions", "bash"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const script = join(directory, "lockstep.bash")
      writeFileSync(script, stdout)
      assert.deepStrictEqual(offered(script, ["lockstep", "stat"]), ["status"])
      assert.sameMembers(offered(script, ["lockstep", "rpc", ""]), [...METHODS.keys()])
      assert.includeMembers(offered(script, ["lockstep", "rpc", "getblockc"]), ["getblockchaininfo", "getblockcount"])
      assert.deepStrictEqual(offered(script, ["lockstep", "rpc", "getblock", ""]), ["blockhash=", "verbosity="])
      assert.deepStrictEqual(offered(script, ["lockstep", "rpc", "getblock", "00ff", "ver"]), ["verbosity="])
      assert.includeMembers(offered(script, ["lockstep", "rpc", "help", "getblockh"]), [
        "getblockhash",
        "getblockheader"
      ])
      assert.deepStrictEqual(offered(script, ["lockstep", "--network", "signet", "rpc", "getdiff"]), ["getdifficulty"])
      assert.deepStrictEqual(offered(script, ["lockstep", "rpc", "uptime", "x"]), [])
    })
  })

  const REGISTERED: ReadonlyArray<readonly [shell: string, command: RegExp]> = [
    ["bash", /^complete -F \S+ (\S+)$/gm],
    ["zsh", /^\s*#?compdef (?:_\S+ )?(\S+)$/gm],
    ["fish", /^complete -c (\S+)/gm],
    ["powershell", /^Register-ArgumentCompleter -Native -CommandName '(\S+)'/gm]
  ]
  for (const [shell, command] of REGISTERED) {
    it(`completes lockstep, and never Node.js's own command, in ${shell}`, async () => {
      const { stdout } = await inDirectory((directory) => runNodeIn(directory, ["--completions", shell]))
      const commands = new Set([...stdout.matchAll(command)].map(([, name]) => name))
      assert.deepStrictEqual([...commands], ["lockstep"])
    })
  }

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
