import { assert } from "@effect/vitest"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort, spawnNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import type { AdvisedNode } from "./advised-node.ts"
import { type Advice, blockFile, helpsOnRunning } from "./following-advice.ts"

const GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"

const helpOf = (command: string) => async (place: AdvisedNode): Promise<string> =>
  (await place.run(command, "--help")).stdout

/** An example of `rpc --help`, as a shell takes it apart. */
const rpcExample = (source: string, name: string, command: RegExp): Advice => ({
  source: `cli/command-tree.ts: ${source}`,
  name,
  produce: helpOf("rpc"),
  command,
  helps: (place, typed) => helpsOnRunning(place, typed.replace("0f91…", GENESIS).replaceAll("'", ""))
})

const exitCodeOf = async (place: AdvisedNode, command: string): Promise<number | null> =>
  (await place.run(...command.trim().split(/ +/))).exitCode

const CONVERTED = "bitcoin.conf"

/** A draft of a file that has an address of RPC, and a setting about privacy that has no counterpart. */
const converted = async (place: AdvisedNode): Promise<string> => {
  const data = `datadir=${join(place.root, "data")}`
  const port = await freePort()
  writeFileSync(
    join(place.root, CONVERTED),
    ["regtest=1", data, "externalip=192.0.2.1", "[regtest]", `rpcport=${port}`].join("\n")
  )
  const { exitCode, stdout } = await place.run("config", "convert-core", join(place.root, CONVERTED))
  assert.strictEqual(exitCode, 3)
  writeFileSync(join(place.root, "draft.toml"), stdout, { mode: 0o600 })
  return stdout
}

/** Examples of help, and commands in a drafted file: what an operator copies works. */
export const EXAMPLE_ADVICE: ReadonlyArray<Advice> = [
  rpcExample("rpc help", "an example: all methods", /lockstep (rpc help)$/m),
  rpcExample("rpc help getblock", "an example: one method", /lockstep (rpc help getblock)$/m),
  rpcExample("rpc getblockhash 0", "an example: a parameter by its place", /lockstep (rpc getblockhash 0)$/m),
  rpcExample(
    "rpc getblock blockhash=0f91… verbosity=2",
    "an example: parameters by their names",
    /lockstep (rpc getblock blockhash=0f91… verbosity=2)$/m
  ),
  rpcExample(
    "rpc generatetodescriptor 1 'raw(51)'",
    "an example: a block on regtest",
    /lockstep (rpc generatetodescriptor 1 'raw\(51\)')$/m
  ),
  {
    source: "cli/command-tree.ts: import --network mainnet blocks/blk*.dat",
    name: "an example: files of blocks",
    produce: helpOf("import"),
    command: /lockstep (import --network mainnet blocks\/blk\*\.dat)$/m,
    helps: async (place, command) => {
      const file = join(place.root, "copy.dat")
      cpSync(join(place.own, "blocks/xor.dat"), join(place.root, "xor.dat"))
      cpSync(blockFile(place), file)
      // These are blocks of regtest.
      const typed = command.replace("--network mainnet", "").replace("blocks/blk*.dat", file)
      assert.strictEqual(await exitCodeOf(place, typed), 0)
    }
  },
  {
    source: "cli/command-tree.ts: verify --level 4 --blocks 0",
    name: "an example: a check of all blocks",
    produce: helpOf("verify"),
    command: /lockstep (verify --level 4 --blocks 0)$/m,
    helps: async (place, command) => assert.strictEqual(await exitCodeOf(place, command), 0)
  },
  {
    source: "config/convert-core/convert-core-config.ts: config convert-core <path>",
    name: "a draft that leaves settings about privacy out",
    produce: converted,
    command: /`pnpm lockstep (config convert-core <path>)` names them/,
    helps: async (place, command) => {
      const typed = command.replace("<path>", join(place.root, CONVERTED)).split(" ")
      assert.include((await place.run(...typed)).stderr, "externalip")
    }
  },
  {
    source: "config/convert-core/convert-core-config.ts: start --rpc-addr ${rpcAddress}",
    name: "a draft of a file that has an address of RPC",
    produce: converted,
    command: /start with: `pnpm lockstep (start --rpc-addr [\d.:]+)`/,
    helps: async (place, command) => {
      const [, , address] = command.split(" ")
      const config = join(place.root, "draft.toml")
      const node = spawnNode([...command.split(" "), "--config", config])
      try {
        const end = performance.now() + patience(60_000)
        const call = ["rpc", "uptime", "--rpc-addr", address!, "--config", config]
        const isReady = async (): Promise<boolean> => (await spawnNode(call).ended).exitCode === 0
        while (!(await isReady())) assert.isBelow(performance.now(), end, node.stderr())
      } finally {
        node.signal("SIGTERM")
      }
      assert.strictEqual((await node.ended).exitCode, 0)
    }
  }
]
