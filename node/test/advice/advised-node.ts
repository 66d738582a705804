import { configWith } from "../process/config-with.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { rangeOf } from "../../src/storage/key-space.ts"
import type { StorageError } from "../../src/storage/storage-error.ts"
import type { BatchWriter, KeyValueStore } from "../../src/storage/key-value/key-value-store.ts"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { patience } from "../process/patience.ts"
import { CACHE, type Ending, type RunningNode, spawnNode, startNode } from "../process/node-process.ts"

const TOKEN = "advised-admin"
const HEIGHT = 120

/** A data directory with a chain, to be damaged, and what an operator does with it. */
export interface AdvisedNode {
  readonly root: string
  readonly own: string
  readonly config: string
  readonly start: (...args: ReadonlyArray<string>) => Promise<RunningNode>
  /** The same, with variables of the environment. */
  readonly startIn: (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => Promise<RunningNode>
  /** Runs a command line to its end, with the options that name this node. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<Ending>
  readonly tamper: (fill: (store: KeyValueStore, batch: BatchWriter) => void) => Promise<void>
  /** Gives every entry of a key space of the store this value; none: removes them. */
  readonly spoilEntries: (space: number, value?: Uint8Array) => Promise<void>
  /** A node on a copy of the chain that all cases share: what is only asked needs none of its own. */
  readonly shared: () => Promise<RunningNode>
  readonly remove: () => void
}

const CONFIG = configWith(
  TOKEN,
  `[storage]`,
  `database_backend = "heed3"`,
  `[storage.indexing]`,
  `coinstatsindex = true`,
  `blockfilterindex = true`,
  `enable_value_index = true`
)

const withStore = (own: string, work: (store: KeyValueStore) => Effect.Effect<void, StorageError>): Promise<void> =>
  Effect.runPromise(Effect.gen(function*() {
    const store = yield* openLmdbStore(join(own, "store-heed3"))
    yield* work(store)
    yield* store.flush
    yield* store.close
  }))

const advisedNode = (root: string, shared: AdvisedNode["shared"]): AdvisedNode => {
  const config = join(root, "node.toml")
  const data = join(root, "data")
  const own = join(data, "regtest")
  const common = ["--network", "regtest", "--data-dir", data, "--config", config]
  return {
    root,
    own,
    config,
    start: (...args) => startNode(data, { args: ["--config", config, ...args], token: TOKEN }),
    startIn: (env, ...args) => startNode(data, { args: ["--config", config, ...args], env, token: TOKEN }),
    run: async (...args) => {
      // Another test may have a node at the usual address.
      const address = args[0] === "start" && !args.includes("--rpc-addr") ? ["--rpc-addr", "127.0.0.1:0"] : []
      const node = spawnNode([...args, ...common, ...address], { HOME: root, XDG_CACHE_HOME: CACHE })
      // A start that is not refused has no end of its own.
      const alarm = setTimeout(() => node.signal("SIGKILL"), patience(30_000))
      const ending = await node.ended
      clearTimeout(alarm)
      return ending
    },
    tamper: (fill) => withStore(own, (store) => store.write((batch) => fill(store, batch))),
    spoilEntries: (space, value) =>
      withStore(
        own,
        (store) =>
          Effect.flatMap(Stream.runCollect(store.range(rangeOf(space))), (chunks) =>
            store.write((batch) => {
              for (const [key] of chunks.flat()) {
                if (value === undefined) batch.remove(key)
                else batch.put(key, value)
              }
            }))
      ),
    shared,
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}

export const stop = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  node.client.close()
  assert.strictEqual((await node.ended).exitCode, 0)
}

/** Whatever becomes of the work, the node is stopped. */
export const onNode = async <A>(node: RunningNode, work: (node: RunningNode) => Promise<A>): Promise<A> => {
  try {
    return await work(node)
  } finally {
    await stop(node)
  }
}

/** A node with a chain, which others are copied from; `stopShared` stops the node that they share. */
export const grownNode = async (): Promise<AdvisedNode & { readonly stopShared: () => Promise<void> }> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-advice-"))
  writeFileSync(join(root, "node.toml"), CONFIG, { mode: 0o600 })
  let shared: { readonly place: AdvisedNode; readonly node: Promise<RunningNode> } | undefined
  const place = advisedNode(root, () => {
    if (shared === undefined) {
      const copy = copyOf(place)
      shared = { place: copy, node: copy.start() }
    }
    return shared.node
  })
  const node = await place.start()
  await node.client.call("generatetoaddress", HEIGHT, OPEN_ADDRESS)
  await stop(node)
  const stopShared = async (): Promise<void> => {
    if (shared === undefined) return
    await stop(await shared.node)
    shared.place.remove()
  }
  return { ...place, stopShared }
}

export const copyOf = (place: AdvisedNode): AdvisedNode => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-advice-"))
  cpSync(place.root, root, { recursive: true })
  return advisedNode(root, place.shared)
}

/** A start that goes well after advice was followed: the chain is whole as far as it can be. */
export const isWell = async (place: AdvisedNode, least = HEIGHT): Promise<void> => {
  await onNode(await place.start(), async ({ client }) => {
    assert.isAtLeast(await client.call("getblockcount") as number, least)
    assert.isTrue(await client.call("verifychain", 4, 0))
    await client.call("gettxoutsetinfo", "muhash")
  })
}
