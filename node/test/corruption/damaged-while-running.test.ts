import { hexOf } from "@lockstep/conformance/formats/hex.ts"
import { transactionOf } from "@lockstep/kernel/model"
import { assert, describe, it } from "@effect/vitest"
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { patience } from "../process/patience.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"

const TOKEN = "damaged-admin"
const HEIGHT = 110
const OP_1 = 0x51
/** The two pages with which a file of LMDB begins. */
const LMDB_HEAD = 8_192

interface Place {
  readonly data: string
  readonly store: string
  readonly start: () => Promise<RunningNode>
}

const stop = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  node.client.close()
  assert.deepInclude(await node.ended, { exitCode: 0, stderr: "" })
}

/** A node with a chain, whose store was opened again: LevelDB has put everything into tables by then. */
const within = async (
  backend: "heed3" | "leveldb",
  use: (place: Place, node: RunningNode) => Promise<void>
): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-damaged-"))
  const [data, config] = [join(root, "data"), join(root, "node.toml")]
  const text = configWith(TOKEN, `[storage]`, `database_backend = "${backend}"`)
  writeFileSync(config, text, { mode: 0o600 })
  const start = (): Promise<RunningNode> => startNode(data, { args: ["--config", config], token: TOKEN })
  try {
    const first = await start()
    await first.client.call("generatetoaddress", HEIGHT, OPEN_ADDRESS)
    await stop(first)
    await use({ data, store: join(data, `regtest/store-${backend}`), start }, await start())
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const tablesOf = ({ store }: Place): ReadonlyArray<string> => {
  const names = readdirSync(store).filter((name) => name.endsWith(".ldb"))
  assert.isNotEmpty(names)
  return names.map((name) => join(store, name))
}

/** Everything of a file from here on is zero, as after a fault of the disk. */
const lose = (file: string, from: number): void => {
  const zeros = new Uint8Array(statSync(file).size - from)
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, zeros, 0, zeros.length, from)
  closeSync(descriptor)
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

const flipEvery = (file: string, found: Uint8Array): void => {
  const bytes = readFileSync(file)
  const places: Array<number> = []
  for (let at = bytes.indexOf(found); at >= 0; at = bytes.indexOf(found, at + 1)) places.push(at)
  assert.isNotEmpty(places)
  const descriptor = openSync(file, "r+")
  for (const at of places) writeSync(descriptor, Uint8Array.of(bytes[at]! ^ 1), 0, 1, at)
  closeSync(descriptor)
}

/** The id of the transaction whose coin a test spends: that of the first block. */
const coinOf = async ({ client }: RunningNode): Promise<Uint8Array> => {
  const first = await client.call("getblock", await client.call("getblockhash", 1), 1) as { tx: ReadonlyArray<string> }
  return new Uint8Array(Buffer.from(first.tx[0]!, "hex").reverse())
}

/** A block on the tip that spends this coin. */
const blockThatSpends = async ({ client }: RunningNode, txid: Uint8Array): Promise<string> => {
  const { bytes } = transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid, vout: 0 },
      script: new Uint8Array(0),
      sequence: 0xffffffff,
      witness: [Uint8Array.of(OP_1)]
    }],
    outputs: [{ value: 0n, script: Uint8Array.of(0x6a, 0x08, ...new Uint8Array(8)) }],
    lockTime: 0
  })
  const { hash } = await client.call("generateblock", OPEN_ADDRESS, [hexOf(bytes)]) as { hash: string }
  return await client.call("getblock", hash, 0) as string
}

/** Ways to hide the coin of a transaction from a running node, and what an error says of them. */
const HIDDEN = [
  [
    "leveldb",
    "in a table of LevelDB that is all zeros",
    (place: Place) => tablesOf(place).forEach((table) => lose(table, 0)),
    /\.ldb: it does not end as a table does/
  ],
  [
    "heed3",
    "behind a flipped bit of its key in LMDB",
    (place: Place, txid: Uint8Array) => flipEvery(join(place.store, "data.mdb"), txid),
    /does not fit its checksum/
  ]
] as const

const reach = async ({ client }: RunningNode, height: number): Promise<void> => {
  const end = performance.now() + patience(60_000)
  while (await client.call("getblockcount") !== height) {
    assert.isBelow(performance.now(), end)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe("a store that is damaged under a running node", { timeout: patience(120_000) }, () => {
  it("ends the node inside LevelDB where a table is cut short, which a last line reports; the next start replaces it", () =>
    within("leveldb", async (place, node) => {
      // The walk opens every table.
      await node.client.call("gettxoutsetinfo", "none")
      for (const table of tablesOf(place)) truncateSync(table, 0)
      await node.client.call("gettxoutsetinfo", "none").catch(() => undefined)
      node.client.close()
      const { signal, stderr } = await node.ended
      assert.strictEqual(signal, "SIGBUS")
      assert.match(lastLine(stderr), /^node: the process ended suddenly\b.*\bnative code crashed/)

      const again = await place.start()
      assert.include(again.stdout(), "was moved to")
      await reach(again, HEIGHT)
      assert.deepInclude(await again.client.call("gettxoutsetinfo", "none"), { height: HEIGHT, txouts: HEIGHT })
      await stop(again)
    }))

  for (const [backend, where, hide, fault] of HIDDEN) {
    it(`makes no block invalid for a coin that is hidden ${where}`, () =>
      within(backend, async (place, first) => {
        await stop(first)
        cpSync(place.data, `${place.data}-before`, { recursive: true })
        const maker = await place.start()
        const spent = await coinOf(maker)
        const block = await blockThatSpends(maker, spent)
        await stop(maker)
        rmSync(place.data, { recursive: true })
        cpSync(`${place.data}-before`, place.data, { recursive: true })

        const node = await place.start()
        hide(place, spent)
        const answer = await node.client.call("submitblock", block).catch(({ message }: Error) => message)
        assert.include(answer, "The store is damaged")
        node.client.close()
        const { exitCode, stderr } = await node.ended
        assert.strictEqual(exitCode, 1)
        assert.match(lastLine(stderr), fault)
        assert.include(lastLine(stderr), "The store is damaged: move it away and run `lockstep rebuild`")

        const again = await place.start()
        // The block is kept, and is valid.
        await reach(again, HEIGHT + 1)
        assert.strictEqual(await again.client.call("submitblock", block), "duplicate")
        await stop(again)
      }))
  }

  it("is the last line where LMDB finds it, whatever else fails afterwards", () =>
    within("heed3", async (place, node) => {
      lose(join(place.store, "data.mdb"), LMDB_HEAD)
      await node.client.call("gettxoutsetinfo", "none").catch(() => undefined)
      await node.client.call("generatetoaddress", 1, OPEN_ADDRESS).catch(() => undefined)
      node.client.close()
      const { exitCode, stderr } = await node.ended
      assert.strictEqual(exitCode, 1)
      assert.match(lastLine(stderr), /MDB_CORRUPTED: .*The store is damaged: move it away and run `lockstep rebuild`/)
    }))
})
