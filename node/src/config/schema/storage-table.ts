import * as Schema from "effect/Schema"
import { key, table, type KeyShape } from "./key.ts"
import { asIs, choice, flag, integer, path } from "./shapes.ts"
import { writtenTable } from "./written-value.ts"

const height = Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 0xff_ff_ff_ff }))

const PruningMode = Schema.Union([
  Schema.Literals(["disabled", "manual", "normal"]),
  Schema.Struct({ type: Schema.Literals(["disabled", "manual"]) }),
  Schema.Struct({
    type: Schema.Literal("normal"),
    keep_from_height: Schema.optionalKey(height),
    min_recent_blocks: Schema.optionalKey(
      Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 288, maximum: 0xff_ff_ff_ff }))
    )
  })
])

const pruningMode: KeyShape<typeof PruningMode> = {
  schema: PruningMode,
  expects: "\"disabled\", \"manual\", \"normal\" or a table such as " +
    "{ type = \"normal\", keep_from_height = 0, min_recent_blocks = 288 } with at least 288 blocks",
  fromText: (text) => writtenTable(text) ?? text,
  words: ["disabled", "manual", "normal"],
  meant: { automatic: "normal", auto: "normal", false: "disabled", off: "disabled", none: "disabled" }
}

const PRUNING_TABLE = table("Which block files are pruned. The coins are kept whatever is pruned.", {
  mode: key(pruningMode, {
    about:
      "\"disabled\" keeps every block; \"manual\" prunes blocks only when pruneblockchain says so; \"normal\" keeps " +
      "those from keep_from_height on, if it is given, and min_recent_blocks (at least 288) of the newest.",
    fallback: "disabled"
  }),
  target_mb: key(integer(550, 1_000_000_000), {
    about: "Instead of a number of blocks: the size in MiB that block files may take.",
    fallbackText: "no target",
    example: 2_000
  }),
  auto_prune: key(flag, { about: "Prune while running. With false, only pruneblockchain does.", fallback: true })
})

const INDEXING_TABLE = table("Indexes. They are built in the background and can be switched on at any time.", {
  txindex: key(flag, { about: "Find every transaction by its id. Needs all blocks, so no pruning.", fallback: false }),
  txospenderindex: key(flag, {
    about: "Find the transaction that spends an output. Needs all blocks, so no pruning.",
    fallback: false
  }),
  coinstatsindex: key(flag, {
    about: "Keep counts, amounts and the hash of the coin set for every block.",
    fallback: false
  }),
  blockfilterindex: key(flag, {
    about: "Keep the basic filter (BIP158) of every block, for scanblocks and light clients.",
    fallback: false
  }),
  enable_address_index: key(flag, {
    about: "Find the transactions and the unspent outputs of an address, in the chain and in the mempool, for REST.",
    fallback: false
  }),
  enable_value_index: key(flag, {
    about: "Find the unspent outputs whose value is in a range, in the chain and in the mempool, for REST.",
    fallback: false
  }),
  strategy: key(choice(["eager", "lazy"]), {
    about: "Only \"eager\": an index follows the chain.",
    fallback: "eager"
  }),
  max_indexed_addresses: key(integer(0), { about: "Only 0: an index has every address.", fallback: 0 }),
  enable_compression: key(flag, { about: "Only false: the store keeps entries as they are.", fallback: false }),
  background_indexing: key(flag, {
    about: "Only true: an index catches up with the chain while the node runs.",
    fallback: true
  })
})

/** Engines of other builds. Here they mean `auto`, with a warning. */
export const FOREIGN_ENGINES = ["rocksdb", "tidesdb", "redb", "sled"] as const

export const STORAGE_TABLE = table("Where the chain is kept.", {
  data_dir: key(path, {
    about: "Root of everything the node writes; each network has a directory of its own in it.",
    fallback: "~/.lockstep"
  }),
  database_backend: key(choice(["auto", "heed3", "leveldb", ...FOREIGN_ENGINES], asIs, { lmdb: "heed3" }), {
    about:
      "The store of coins, headers and indexes: heed3 is LMDB, which becomes slow once it outgrows memory. auto takes the " +
      "one that is there, else the first that works, leveldb before heed3. rocksdb, tidesdb, redb and sled are not in " +
      "this build. They fall back to auto with a warning.",
    fallback: "auto"
  }),
  dbcache_mb: key(integer(4, 131_072), { about: "Memory for the coins cache in MiB.", fallback: 450 }),
  min_free_disk_mb: key(integer(0, 1_000_000_000), {
    about: "With less free space than this, in MiB, the node writes nothing until there is more again.",
    fallback: 200
  }),
  maintenance_interval_secs: key(integer(0, 31_536_000), {
    about: "Seconds after which the node flushes all caches, and modules are notified to write and clean up theirs " +
      "(event DataMaintenance); 0: never while the node runs.",
    fallback: 3_600
  }),
  auto_migrate_core: key(flag, {
    about: "Migrate a data directory of Bitcoin Core when data_dir is one. --no-auto-migrate is the same as false.",
    fallback: true
  }),
  reuse_core_block_files: key(flag, {
    about:
      "Read Bitcoin Core's block files in place. With false the node copies new blocks of theirs into its own files, which " +
      "takes as much room again; core_blocks_dir may be left out once that is done.",
    fallback: true
  }),
  core_blocks_dir: key(path, {
    about:
      "A blocks directory of Bitcoin Core to read blocks from. It must not be in use, and must not be removed while " +
      "blocks are read in place.",
    fallbackText: "none",
    example: "~/.bitcoin/blocks"
  }),
  pruning: PRUNING_TABLE,
  indexing: INDEXING_TABLE
})
