import * as Schema from "effect/Schema"
import { key, type KeyShape, table } from "./key.ts"
import { choice, decimal, flag, integer, path } from "./shapes.ts"

/** 10,000 BTC: more than any real fee, and far below the range in which a number is inexact. */
const MOST_SATOSHIS = 1_000_000_000_000

const satoshis = integer(0, MOST_SATOSHIS)

const STRATEGIES = [
  "lowestfeerate",
  "oldestfirst",
  "largestfirst",
  "nodescendantsfirst",
  "hybrid",
  "spamfirst"
] as const

const strategyCalled = (word: string): string => word.toLowerCase().replaceAll("_", "")

const isStrategy = Schema.makeFilter((word: string) => STRATEGIES.some((known) => known === strategyCalled(word)))

const strategy: KeyShape<Schema.String> = {
  schema: Schema.String.check(isStrategy),
  expects: `one of ${STRATEGIES.join(", ")}`,
  fromText: (word) => word,
  words: STRATEGIES
}

/** Makes a key for one of Bitcoin Core's former limits of ancestors and descendants, before clusters. */
const relatives = (what: string, fallback: number) =>
  key(integer(1), {
    about: `Limited ${what} before clusters were; max_cluster_count and max_cluster_size limit them together.`,
    fallbackText: `unset, and ${fallback} says nothing`,
    example: fallback
  })

const SPAM_FILTER_TABLE = table(
  "What reject_spam_in_mempool refuses. Single keys change what the preset says; 0 stands for no limit.",
  {
    preset: key(choice(["disabled", "conservative", "moderate", "aggressive", "strict_inscriptions"]), {
      about: "Sets all of the other keys.",
      fallback: "moderate"
    }),
    filter_ordinals: key(flag, {
      about: "Refuse scripts with data in a branch that is never taken.",
      fallbackText: "as the preset says",
      example: true
    }),
    filter_brc20: key(flag, {
      about: "Refuse BRC-20 token documents.",
      fallbackText: "as the preset says",
      example: true
    }),
    min_output_value: key(satoshis, {
      about: "Least satoshis of an output that can be spent.",
      fallbackText: "as the preset says",
      example: 546
    }),
    max_witness_size: key(integer(0, 4_000_000), {
      about: "Most bytes of an item of a witness.",
      fallbackText: "as the preset says",
      example: 1_000
    }),
    min_fee_rate: key(decimal(0, MOST_SATOSHIS, 3), {
      about: "Least satoshis for a virtual byte.",
      fallbackText: "as the preset says",
      example: 2
    }),
    max_size_value_ratio: key(integer(0, MOST_SATOSHIS), {
      about: "Most bytes of a transaction for each satoshi of its outputs.",
      fallbackText: "as the preset says",
      example: 1_000
    }),
    max_small_outputs: key(integer(0, 1_000_000), {
      about: "Most outputs below small_output_value.",
      fallbackText: "as the preset says",
      example: 10
    }),
    small_output_value: key(satoshis, {
      about: "Satoshis from which an output is not small.",
      fallbackText: "as the preset says",
      example: 546
    })
  }
)

export const MEMPOOL_TABLE = table(
  "Transactions that wait for a block, and what the node asks of them. None of it is asked of blocks.",
  {
    max_mempool_mb: key(integer(0, 1_000_000_000), {
      about:
        "Memory for the mempool in MB of 1,000,000 bytes, as Bitcoin Core counts it: at least 40 clusters of the largest size, " +
        "or 0, with which nothing stays.",
      fallbackText: "300, and 5 with [connections].blocks_only",
      example: 300
    }),
    max_mb: key(integer(0, 1_000_000_000), {
      about: "The same as max_mempool_mb, under another name.",
      fallbackText: "max_mempool_mb",
      example: 300
    }),
    max_mempool_txs: key(integer(1), {
      about: "Most transactions in the mempool, as far as memory allows.",
      fallbackText: "any number",
      example: 100_000
    }),
    min_relay_fee_rate: key(decimal(0, MOST_SATOSHIS, 3), {
      about: "Least satoshis for a virtual byte.",
      fallbackText: "0.1, or incremental_relay_fee where that is more",
      example: 0.1
    }),
    min_tx_fee: key(satoshis, {
      about: "Least satoshis for a transaction of any size; refused but for 0, as min_relay_fee_rate is by size.",
      fallback: 0
    }),
    incremental_relay_fee: key(satoshis, {
      about:
        "Satoshis for 1,000 virtual bytes that a replacement pays beyond what it replaces, and by which a full mempool raises its " +
        "minimum.",
      fallback: 100
    }),
    max_cluster_count: key(integer(1, 64), {
      about: "Most transactions that hang together by what they spend.",
      fallback: 64
    }),
    max_cluster_size: key(integer(1, 500_000_000), {
      about: "Most virtual bytes of transactions that hang together.",
      fallback: 101_000
    }),
    max_ancestor_count: relatives("ancestors", 25),
    max_ancestor_size: relatives("the size of ancestors", 101_000),
    max_descendant_count: relatives("descendants", 25),
    max_descendant_size: relatives("the size of descendants", 101_000),
    eviction_strategy: key(strategy, {
      about: "What leaves a full mempool first. lowestfeerate: what a miner would take last. The others are refused.",
      fallback: "lowestfeerate"
    }),
    mempool_expiry_hours: key(integer(0, 1_000_000), {
      about: "Hours after which a transaction leaves the mempool unconfirmed.",
      fallback: 336
    }),
    compact_block_extra_transactions: key(integer(0, 1_000_000), {
      about:
        "So many of the last transactions that were refused, replaced or are orphans help to put compact blocks together. 0: none.",
      fallback: 100
    }),
    persist_mempool: key(flag, {
      about: "Save the mempool when the node stops, and load it when it starts.",
      fallback: true
    }),
    mempool_persistence_path: key(path, {
      about: "File in which the mempool is saved, in Bitcoin Core's format.",
      fallbackText: "mempool.dat in the data directory of the network",
      example: "~/mempool.dat"
    }),
    permit_bare_multisig: key(flag, {
      about: "Relay outputs that are multisig without a script hash.",
      fallback: true
    }),
    data_carrier_bytes: key(integer(0, 4_000_000), {
      about: "Most bytes of OP_RETURN outputs, whole scripts, in a transaction; 0: it may have none.",
      fallback: 100_000
    }),
    dust_relay_fee: key(satoshis, {
      about:
        "Satoshis for 1,000 virtual bytes from which dust follows: outputs that cost more to spend than they hold.",
      fallback: 3_000
    }),
    bytes_per_sigop: key(integer(1, 1_000_000), {
      about: "Weight that a transaction is charged for each unit of signature operation cost.",
      fallback: 20
    }),
    accept_non_standard: key(flag, {
      about: "Relay transactions that are not standard. Not on mainnet.",
      fallback: false
    }),
    tx_rate_limit_burst: key(integer(0), {
      about: "Transactions that a peer may send at once.",
      fallbackText: "as many as the node requests",
      example: 0
    }),
    tx_rate_limit_per_sec: key(integer(0), {
      about: "Transactions that a peer may send a second.",
      fallbackText: "as many as the node requests",
      example: 0
    }),
    tx_byte_rate_limit: key(integer(0), {
      about: "Bytes of transactions that a peer may send a second.",
      fallbackText: "as many as the node requests",
      example: 0
    }),
    tx_byte_rate_burst: key(integer(0), {
      about: "Bytes of transactions that a peer may send at once.",
      fallbackText: "as many as the node requests",
      example: 0
    }),
    reject_spam_in_mempool: key(flag, {
      about: "Keep out what [mempool.spam_filter] calls spam. Blocks may hold it all the same.",
      fallback: false
    }),
    spam_filter: SPAM_FILTER_TABLE
  }
)

const byMode = (about: string, shape: typeof satoshis, example: number) =>
  key(shape, { about, fallbackText: "as the mode says", example })

export const RBF_TABLE = table(
  "How transactions of the mempool are replaced. The mode sets all of the other keys; each may be changed.",
  {
    mode: key(choice(["disabled", "conservative", "standard", "aggressive"], (word) => word.toLowerCase()), {
      about:
        "disabled replaces nothing. standard has Bitcoin Core's rules and no others. conservative asks for a signal, twice the " +
        "feerate and 5,000 satoshis more. aggressive asks for 1.05 times the feerate and 500 satoshis more, and not for a better " +
        "feerate diagram.",
      fallback: "standard"
    }),
    min_fee_rate_multiplier: key(decimal(0, 1_000, 3), {
      about: "The feerate exceeds that of all that is replaced, times this. 0: it need not.",
      fallbackText: "as the mode says: 2 for conservative, 1.05 for aggressive, else 0",
      example: 1.1
    }),
    min_fee_bump_satoshis: byMode("The fee exceeds that of all that is replaced by more than this.", satoshis, 1_000),
    min_confirmations: byMode(
      "Confirmations of each coin that a replacement spends and what it replaces does not.",
      integer(0, 1_000_000),
      1
    ),
    allow_package_replacements: key(flag, {
      about: "Whether a parent and its child may replace together.",
      fallbackText: "as the mode says: true for standard and aggressive",
      example: true
    }),
    max_replacements_per_tx: byMode(
      "How often what spends a coin may be replaced. 0: never.",
      integer(0, 1_000_000),
      10
    ),
    cooldown_seconds: byMode("Seconds between two replacements of what spends a coin.", integer(0, 100_000_000), 60)
  }
)

const blockWeight = (minimum: number) => integer(minimum, 4_000_000)

/** Blocks that the node proposes to miners. */
export const MINING_TABLE = table("What block templates hold.", {
  block_max_weight: key(blockWeight(0), {
    about: "Weight that a block stays below.",
    fallback: 4_000_000
  }),
  block_reserved_weight: key(blockWeight(2_000), {
    about: "Weight of it that is kept free for the header and the coinbase.",
    fallback: 8_000
  }),
  block_min_fee: key(satoshis, {
    about: "Satoshis for 1,000 virtual bytes below which transactions are left out.",
    fallback: 1
  })
})
