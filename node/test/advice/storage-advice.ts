import { assert } from "@effect/vitest"
import { cpSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { COINS_RECORD_KEY, encodeCoinsRecord } from "../../src/engine/state/coins-record.ts"
import { KeySpace, namedKey, numberedKey } from "../../src/storage/key-space.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { freePort, type RunningNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { type AdvisedNode, onNode } from "./advised-node.ts"
import {
  type Advice,
  blockFile,
  received,
  REBUILD,
  rebuilds,
  rebuildsAndTakes,
  said,
  spoil
} from "./following-advice.ts"

const COINS_WALK = ["gettxoutsetinfo", "none", null, false] as const

const tipOf = ({ client }: RunningNode): Promise<unknown> => client.call("getbestblockhash")

/** Everything of a file from here on is lost. */
const lose = (file: string, from: number): void => spoil(file, from, new Uint8Array(statSync(file).size - from))

/** In the middle of the chain of a grown node. */
const MIDDLE = 15_000
/** Behind the two pages with which a file of LMDB begins. */
const PAGES = 8_192
const PRUNING = ["--set", "storage.pruning.mode=manual"]
const NO_INDEXES = [
  "--set",
  "storage.indexing.coinstatsindex=false",
  "--set",
  "storage.indexing.blockfilterindex=false",
  "--set",
  "storage.indexing.enable_value_index=false"
]
/** Files so short that most blocks lie in one that can be removed. */
const SHORT_FILES = { LOCKSTEP_TEST_BLOCK_FILE_BYTES: "20000" }
/** A regtest chain can be pruned from 1,000 blocks on. */
const PRUNED_HEIGHT = 1_020

const kept = ({ root }: AdvisedNode): string => join(root, "kept")

/** All blocks of a place as they were before some were removed. */
const keptFiles = (place: AdvisedNode): ReadonlyArray<string> =>
  readdirSync(kept(place)).filter((name) => name.startsWith("blk")).toSorted().map((name) => join(kept(place), name))

/** Lets a place grow, and removes its first blocks; another node would have them all. */
export const prune = async (place: AdvisedNode): Promise<void> => {
  const start = (): Promise<RunningNode> => place.startIn(SHORT_FILES, ...PRUNING, ...NO_INDEXES)
  await onNode(
    await start(),
    ({ client }) => client.call("generatetoaddress", PRUNED_HEIGHT - 120, OPEN_ADDRESS)
  )
  cpSync(join(place.own, "blocks"), kept(place), { recursive: true })
  const gone = await onNode(await start(), ({ client }) => client.call("pruneblockchain", 400))
  assert.isAbove(gone as number, 130)
}

/** What a node answers about its unspent outputs by value. */
const outputsByValue = async (
  place: AdvisedNode,
  ask: (node: RunningNode, answer: () => Promise<string>) => Promise<string>
): Promise<string> => {
  const at = `127.0.0.1:${await freePort()}`
  const node = await place.start("--set", "rest_api.enabled=true", "--set", `rest_api.listen_addr=${at}`)
  return ask(node, async () => (await fetch(`http://${at}/api/v1/outputs?min_value=0`)).text())
}

const coreBlocks = ({ root }: AdvisedNode): string => join(root, "core-blocks")
const inPlace = (place: AdvisedNode): ReadonlyArray<string> => ["--set", `storage.core_blocks_dir=${coreBlocks(place)}`]

/** A place that reads the blocks of Bitcoin Core's directory where they are. */
const readInPlace = async (place: AdvisedNode): Promise<void> => {
  renameSync(join(place.own, "blocks"), coreBlocks(place))
  rmSync(place.own, { recursive: true })
  await onNode(await place.start(...inPlace(place)), async ({ client }) => {
    while (await client.call("getblockcount") !== 120) await new Promise((resolve) => setTimeout(resolve, 50))
  })
}

const disconnectTip = async (node: RunningNode): Promise<unknown> =>
  node.client.call("invalidateblock", await tipOf(node))

/** Messages about what is on disk, and what makes each of them appear on a real disk. */
export const STORAGE_ADVICE: ReadonlyArray<Advice> = [
  {
    source: "engine/chainstate/load-tree.ts: rebuild",
    name: "a database that does not fit together",
    produce: async (place) => {
      await place.tamper((_, batch) => batch.put(namedKey(KeySpace.meta, "tip"), new Uint8Array(32).fill(7)))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "engine/state/chainstates.ts: rebuild",
    name: "a damaged record of the coins in use",
    produce: async (place) => {
      await place.tamper((_, batch) => batch.put(COINS_RECORD_KEY, Uint8Array.of(KeySpace.coin, 255)))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "engine/snapshot/open-snapshot.ts: rebuild",
    name: "a snapshot of coins whose block is not known",
    produce: async (place) => {
      const [base, tip] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
      const record = { active: KeySpace.coin, hasLeftover: false, background: { base, tip } }
      await place.tamper((_, batch) => batch.put(COINS_RECORD_KEY, encodeCoinsRecord(record)))
      return said(place, "start", ...NO_INDEXES)
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "storage/block-files/settle-files.ts: rebuild",
    name: "block files of which the database has no entry",
    produce: async (place) => {
      await place.tamper((_, batch) => batch.remove(numberedKey(KeySpace.blockFile, 0)))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "maintenance/verify-chain.ts: rebuild",
    name: "a block file with wrong bytes, found by verify",
    produce: (place) => {
      spoil(blockFile(place), 20_000, new Uint8Array(64))
      return said(place, "verify", "--level", "4", "--blocks", "0")
    },
    command: REBUILD,
    helps: rebuilds(1)
  },
  {
    source: "lifecycle/require-chain.ts: rebuild",
    name: "nothing to verify but block files",
    produce: (place) => {
      rmSync(join(place.own, "store-heed3"), { recursive: true })
      return said(place, "verify")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "coins/coin-codec.ts: rebuild",
    name: "coins that are none",
    produce: async (place) => {
      await place.spoilEntries(KeySpace.coin, Uint8Array.of(0xff))
      return received(await place.start(), ({ client }) => client.call(...COINS_WALK))
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "engine/chainstate/future-tip.ts: rebuild",
    name: "a tip from the future, while the clock is right",
    produce: async (place) => {
      await onNode(await place.start(), async ({ client }) => {
        await client.call("setmocktime", Math.floor(Date.now() / 1_000) + 5 * 3_600)
        await client.call("generatetoaddress", 1, OPEN_ADDRESS)
      })
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "engine/validation/witnesses-validated.ts: rebuild",
    name: "blocks that were connected before segwit, which is active from genesis on now",
    produce: async (place) => {
      await place.tamper((_store, batch) =>
        batch.put(namedKey(KeySpace.meta, "witnesses"), Uint8Array.of(232, 3, 0, 0))
      )
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "maintenance/maintenance.ts: rebuild",
    name: "pruned blocks, and pruning is switched off",
    begins: "pruned",
    produce: (place) => said(place, "start"),
    command: REBUILD,
    helps: rebuildsAndTakes(PRUNED_HEIGHT, keptFiles)
  },
  {
    source: "indexes/damaged-index.ts: rebuild",
    name: "filters that are not there",
    produce: async (place) => {
      await place.spoilEntries(KeySpace.filter)
      return received(await place.start(), async (node) => node.client.call("getblockfilter", await tipOf(node)))
    },
    command: REBUILD,
    helps: async (place, command) => {
      await rebuilds()(place, command)
      const found = await onNode(
        await place.start(),
        async (node) => node.client.call("getblockfilter", await tipOf(node))
      )
      assert.match((found as { readonly filter: string }).filter, /^[0-9a-f]+$/)
    }
  },
  {
    source: "indexes/damaged-index.ts: rebuild",
    name: "statistics that are none",
    produce: async (place) => {
      await place.spoilEntries(KeySpace.coinStatistics, Uint8Array.of(1))
      return received(await place.start(), ({ client }) => client.call("gettxoutsetinfo", "muhash", 50))
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "indexes/damaged-index.ts: rebuild",
    name: "outputs by value that are none",
    produce: async (place) => {
      await place.spoilEntries(KeySpace.valueUnspent, Uint8Array.of(1))
      return outputsByValue(place, (node, answer) => received(node, answer))
    },
    command: REBUILD,
    helps: async (place, command) => {
      await rebuilds()(place, command)
      const answer = await outputsByValue(place, (node, ask) => onNode(node, ask))
      assert.match(answer, /^\{"data":\[\{"txid":/)
    }
  },
  {
    source: "storage/block-files/file-fault.ts: rebuild",
    name: "a block file with wrong bytes, found while it is read",
    produce: async (place) => {
      cpSync(join(place.own, "blocks"), kept(place), { recursive: true })
      lose(blockFile(place), MIDDLE)
      return received(await place.start(), disconnectTip)
    },
    command: REBUILD,
    helps: rebuildsAndTakes(120, keptFiles)
  },
  {
    source: "storage/block-files/file-fault.ts: rebuild",
    name: "a file of blocks that is not there",
    produce: (place) => {
      cpSync(join(place.own, "blocks"), kept(place), { recursive: true })
      rmSync(blockFile(place))
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuildsAndTakes(120, keptFiles)
  },
  {
    source: "storage/block-files/file-fault.ts: rebuild",
    name: "a file of undo data that is too short",
    produce: (place) => {
      truncateSync(join(place.own, "blocks/rev00000.dat"), 100)
      return said(place, "start")
    },
    command: REBUILD,
    helps: rebuilds()
  },
  {
    source: "storage/block-files/file-fault.ts: rebuild",
    name: "a block file of Bitcoin Core with wrong bytes",
    produce: async (place) => {
      await readInPlace(place)
      cpSync(coreBlocks(place), kept(place), { recursive: true })
      lose(join(coreBlocks(place), "blk00000.dat"), MIDDLE)
      return received(await place.start(...inPlace(place)), disconnectTip)
    },
    command: /It belongs to Bitcoin Core: repair it there, or run `lockstep (rebuild)` without its directory/,
    helps: rebuildsAndTakes(120, keptFiles)
  },
  {
    source: "storage/block-files/open-block-files.ts: rebuild",
    name: "blocks of Bitcoin Core, whose directory is not named any more",
    produce: async (place) => {
      await readInPlace(place)
      cpSync(coreBlocks(place), kept(place), { recursive: true })
      return received(await place.start(), disconnectTip)
    },
    command: REBUILD,
    helps: rebuildsAndTakes(120, keptFiles)
  },
  {
    source: "engine/validation/load-block.ts: rebuild",
    name: "an index that needs blocks that were removed",
    begins: "pruned",
    produce: async (place) => {
      return received(await place.startIn(SHORT_FILES, ...PRUNING), async ({ stdout }) => {
        const end = performance.now() + patience(30_000)
        while (!REBUILD.test(stdout()) && performance.now() < end) {
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })
    },
    command: REBUILD,
    helps: rebuildsAndTakes(PRUNED_HEIGHT, keptFiles)
  },
  {
    source: "storage/key-value/engine-error.ts: rebuild",
    name: "a store that is damaged while the node runs",
    produce: async (place) => {
      const node = await place.start()
      lose(join(place.own, "store-heed3/data.mdb"), PAGES)
      return received(node, ({ client }) => client.call(...COINS_WALK))
    },
    command: /The store is damaged: move it away and run `lockstep (rebuild)`/,
    helps: async (place, command) => {
      renameSync(join(place.own, "store-heed3"), join(place.root, "moved-away"))
      await rebuilds()(place, command)
    }
  }
]
