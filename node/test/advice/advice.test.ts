import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { KeySpace, namedKey, numberedKey } from "../../src/storage/key-space.ts"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { commandsByHand, commandsNamed } from "./advice-in-sources.ts"
import { type AdvisedNode, copyOf, grownNode, isWell, stop } from "./advised-node.ts"

/** What makes a message that names a command: answers what was said. */
interface Advice {
  readonly name: string
  readonly produce: (place: AdvisedNode) => Promise<string>
  readonly command: RegExp
  /** Whether following it helped; the text is the command that the message named. */
  readonly helps: (place: AdvisedNode, command: string) => Promise<void>
}

const spoil = (file: string, offset: number, bytes: Uint8Array): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  closeSync(descriptor)
}

const said = async (place: AdvisedNode, ...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr } = await place.run(...args)
  assert.notStrictEqual(exitCode, 0, stderr)
  return stderr
}

/** `rebuild` ends well, and a node starts with the chain up to what can be read. */
const rebuilds = (least?: number) => async (place: AdvisedNode, command: string): Promise<void> => {
  const { exitCode, stderr } = await place.run(...command.split(" "))
  assert.strictEqual(exitCode, 0, stderr)
  await isWell(place, least)
}

const printsWell = async (place: AdvisedNode, command: string): Promise<void> => {
  const { exitCode, stderr, stdout } = await place.run(...command.split(" "))
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
  assert.isNotEmpty(stdout)
}

const starts = async (place: AdvisedNode, command: string): Promise<void> => {
  assert.strictEqual(command, "start")
  await isWell(place)
}

const blockFile = ({ own }: AdvisedNode): string => join(own, "blocks/blk00000.dat")

/** A call to a node on this place, which fails with a message of its own. */
const refusedCall = async (place: AdvisedNode, ...args: ReadonlyArray<string>): Promise<string> => {
  const node = await place.start()
  try {
    return await said(place, "rpc", ...args, "--rpc-addr", `127.0.0.1:${node.port}`)
  } finally {
    await stop(node)
  }
}

const helpsOnRunning = async (place: AdvisedNode, command: string): Promise<void> => {
  const node = await place.start()
  try {
    const { exitCode, stdout } = await place.run(...command.split(" "), "--rpc-addr", `127.0.0.1:${node.port}`)
    assert.strictEqual(exitCode, 0)
    assert.isNotEmpty(stdout)
  } finally {
    await stop(node)
  }
}

const REBUILD = /`lockstep (rebuild)`/

const ADVICE: Readonly<Record<string, Advice>> = {
  "engine/start.ts: rebuild": {
    name: "a database that does not fit together",
    produce: async (place) => {
      await place.tamper((_, batch) => batch.put(namedKey(KeySpace.meta, "tip"), new Uint8Array(32).fill(7)))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  "storage/block-files/settle-files.ts: rebuild": {
    name: "block files of which the database has no entry",
    produce: async (place) => {
      await place.tamper((_, batch) => batch.remove(numberedKey(KeySpace.blockFile, 0)))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  "maintenance/verify-chain.ts: rebuild": {
    name: "a block file with wrong bytes, found by verify",
    produce: (place) => {
      spoil(blockFile(place), 20_000, new Uint8Array(64))
      return said(place, "verify", "--level", "4", "--blocks", "0")
    },
    command: REBUILD,
    helps: rebuilds(1)
  },
  "lifecycle/require-chain.ts: rebuild": {
    name: "nothing to verify but block files",
    produce: (place) => {
      rmSync(join(place.own, "store-heed3"), { recursive: true })
      return said(place, "verify")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  "cli/commands/node-client.ts: start": {
    name: "no node that answers",
    produce: (place) => said(place, "status", "--rpc-addr", "127.0.0.1:1"),
    command: /`lockstep (start)`/,
    helps: starts
  },
  "cli/commands/node-client.ts: config explain": {
    name: "another program on the port",
    produce: async (place) => {
      const port = await freePort()
      const server = (await import("node:http")).createServer((_, response) => response.writeHead(501).end())
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
      const text = await said(place, "status", "--rpc-addr", `127.0.0.1:${port}`)
      server.close()
      return text
    },
    command: /`lockstep (config explain)`/,
    helps: printsWell
  },
  "cli/commands/call-faults.ts: rpc help ${name}": {
    name: "a parameter of another kind",
    produce: (place) => refusedCall(place, "getblockhash", "high"),
    command: /`lockstep (rpc help getblockhash)`/,
    helps: helpsOnRunning
  },
  "cli/commands/call-faults.ts: rpc help": {
    name: "a method that is not there",
    produce: (place) => refusedCall(place, "getblockhsh"),
    command: /`lockstep (rpc help)`/,
    helps: helpsOnRunning
  },
  "cli/presenter.ts: [...event.commandPath.slice(1": {
    name: "a command that is not there",
    produce: async (place) => (await place.run("verify", "--levle", "3")).stderr,
    command: /`lockstep (verify --help)`/,
    helps: printsWell
  },
  "cli/global-options.ts: config explain": {
    name: "the help of all options",
    produce: async (place) => (await place.run("--help")).stdout,
    command: /`lockstep (config explain)`/,
    helps: printsWell
  },
  "config/show/example.ts: config explain": {
    name: "the annotated file: what holds",
    produce: async (place) => (await place.run("config", "example")).stdout,
    command: /`pnpm lockstep (config explain)`/,
    helps: printsWell
  },
  "config/show/example.ts: config validate <path>": {
    name: "the annotated file: whether it is right",
    produce: async (place) => {
      const { stdout } = await place.run("config", "example")
      writeFileSync(join(place.root, "example.toml"), stdout, { mode: 0o600 })
      return stdout
    },
    command: /`pnpm lockstep (config validate <path>)`/,
    helps: (place, command) => printsWell(place, command.replace("<path>", join(place.root, "example.toml")))
  },
  "config/convert-core/convert-core-config.ts: config validate <path>": {
    name: "a draft from a bitcoin.conf",
    produce: async (place) => {
      writeFileSync(join(place.root, "bitcoin.conf"), "regtest=1\nrpcuser=u\nrpcpassword=p\n")
      const { stdout } = await place.run("config", "convert-core", join(place.root, "bitcoin.conf"))
      writeFileSync(join(place.root, "draft.toml"), stdout, { mode: 0o600 })
      return stdout
    },
    command: /`pnpm lockstep (config validate <path>)`/,
    helps: (place, command) => printsWell(place, command.replace("<path>", join(place.root, "draft.toml")))
  }
}

/** What a text names that is no advice, or that is produced elsewhere; each with where it is, or why it is not here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "cli/command-failure.ts: command": "names what was typed: cli/process.test.ts",
  "cli/command-tree.ts: import --network mainnet blocks/blk*.dat": "an example of help",
  "cli/command-tree.ts: verify --level 4 --blocks 0": "an example of help",
  "cli/command-tree.ts: rpc help": "an example of help",
  "cli/command-tree.ts: rpc help getblock": "an example of help",
  "cli/command-tree.ts: rpc getblockhash 0": "an example of help",
  "cli/command-tree.ts: rpc getblock blockhash=0f91… verbosity=2": "an example of help",
  "cli/command-tree.ts: rpc generatetodescriptor 1 'raw(51)'": "an example of help",
  "config/convert-core/convert-core-config.ts: config convert-core <path>": "config/convert-core.test.ts",
  "config/convert-core/convert-core-config.ts: start --rpc-addr ${rpcAddress}": "config/convert-core.test.ts",
  "coins/coin-codec.ts: rebuild": "corruption/corruption.test.ts damages stores and follows the messages",
  "engine/chainstate/future-tip.ts: rebuild": "engine/future-tip.test.ts",
  "engine/validation/load-block.ts: rebuild": "rpc/missing-block-file.test.ts",
  "indexes/block-filters/block-filter-index.ts: rebuild": "indexes/block-filters.test.ts",
  "indexes/coin-statistics/coin-statistics-index.ts: rebuild":
    "corruption/corruption.test.ts damages stores and follows the messages",
  "maintenance/maintenance.ts: rebuild": "maintenance/prune.test.ts",
  "storage/block-files/file-fault.ts: rebuild":
    "maintenance/rebuild-command.test.ts; and for files of Bitcoin Core's directory, storage/block-files",
  "storage/block-files/open-block-files.ts: rebuild": "storage/block-files/block-files.test.ts",
  "storage/key-value/engine-error.ts: rebuild":
    "corruption/corruption.test.ts: a start puts a damaged store aside, so the message comes later"
}

describe("a message that names a command", () => {
  it("has an entry here, and no entry is left over", () => {
    assert.deepStrictEqual(
      [...new Set(commandsNamed())].toSorted(),
      [...Object.keys(ADVICE), ...Object.keys(ELSEWHERE)].toSorted()
    )
  })

  it("names it as it can be typed, never by a name spelled out", () => {
    assert.deepStrictEqual(commandsByHand(), [])
  })
})

describe("following the advice helps", { timeout: patience(120_000) }, () => {
  let grown: AdvisedNode

  beforeAll(async () => void (grown = await grownNode()), patience(60_000))
  afterAll(() => grown.remove())

  for (const [source, { command, helps, name, produce }] of Object.entries(ADVICE)) {
    it(`${name} (${source.slice(0, source.indexOf(":"))})`, async () => {
      const place = copyOf(grown)
      try {
        const text = await produce(place)
        const [, advised] = command.exec(text) ?? []
        if (advised === undefined) return assert.fail(`no ${command} in: ${text}`)
        await helps(place, advised)
      } finally {
        place.remove()
      }
    })
  }
})
