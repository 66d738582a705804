import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts, does } = rowsOf("Options")

const FILTERS = "Keep the basic filters (BIP158) of all blocks; the one type is basic"

/** Options about files, storage and the process. */
export const GENERAL: ReadonlyArray<CoreOption> = [
  does("alertnotify", "=<cmd>", "Run this command when there is a warning; %s stands for its text", {
    example: "true %s"
  }),
  does("allowignoredconf", "", "Start although the data directory holds a bitcoin.conf that is not used"),
  does("assumevalid", "=<hex>", "Assume that the scripts of this block and of those before it hold; 0: check all", {
    example: "0"
  }),
  does("blockfilterindex", "=<type>", FILTERS, { list: true }),
  does("blocknotify", "=<cmd>", "Run this command for each new best block; %s stands for its hash", {
    example: "true %s"
  }),
  does("blockreconstructionextratxn", "=<n>", "Transactions to keep beside the mempool for compact blocks", {
    example: "200"
  }),
  does("blocksdir", "=<dir>", "Where the directory of blocks is", { example: "." }),
  does("blocksonly", "", "Take no transactions from peers"),
  does("blocksxor", "", "Keep the files of a new blocks directory under a random key", { example: "0" }),
  does("conf", "=<file>", "The configuration file; a relative path starts at the data directory", {
    example: "other.conf"
  }),
  does("daemon", "", "Run in the background"),
  does("daemonwait", "", "Run in the background once the start is over"),
  does("datadir", "=<dir>", "The data directory", { noNegation: true, example: "." }),
  accepts(
    "dbbatchsize",
    "=<bytes>",
    "The largest batch of the database",
    "the store chooses the size of its batches itself",
    { shown: "debug", example: "1000000" }
  ),
  does("dbcache", "=<MiB>", "Memory for the cache of coins", { example: "100" }),
  accepts("dbcrashratio", "=<n>", "Crash now and then while writing", "the store simulates no crashes", {
    shown: "never",
    example: "1"
  }),
  accepts("forcecompactdb", "", "Compact databases on open", "the store needs no compaction", { shown: "never" }),
  does(
    "includeconf",
    "=<file>",
    "A further configuration file, relative to the data directory; not on a command line",
    {
      list: true,
      example: ["-noincludeconf"]
    }
  ),
  accepts("ipcbind", "=<address>", "Listen for other processes", "there is no socket for other processes", {
    shown: "never",
    list: true,
    example: "unix"
  }),
  does("loadblock", "=<file>", "Take in the blocks of this file at start", { list: true, example: "blocks.dat" }),
  does("maxmempool", "=<MB>", "The most memory that the mempool may take", { example: "50" }),
  does("mempoolexpiry", "=<h>", "Hours after which a transaction leaves the mempool", { example: "72" }),
  does("minimumchainwork", "=<hex>", "The least work of a chain that is worth a sync", {
    shown: "debug",
    example: "01"
  }),
  does("par", "=<n>", "Threads that check scripts; 0: as many as processors, below: leave so many free", {
    example: "3"
  }),
  does("persistmempool", "", "Keep the mempool in a file", { example: "0" }),
  does("persistmempoolv1", "", "Write mempool.dat in its old format, without a key"),
  does("pid", "=<file>", "The file with the id of the process", { example: "other.pid" }),
  accepts(
    "prevoutfetchthreads",
    "=<n>",
    "Threads that read coins ahead",
    "coins are read ahead without threads of their own",
    { inert: ["0", "8"], example: "4" }
  ),
  does("prune", "=<n>", "Prune blocks: 1 by call alone, from 550 on to so many MiB", { example: "550" }),
  does("reindex", "", "Make the chain, its coins and indexes anew from the block files"),
  does("reindex-chainstate", "", "Make the coins anew from the blocks; block files, headers and indexes stay"),
  does("settings", "=<file>", "The file of settings that are kept; relative to the network's data directory", {
    example: "other.json"
  }),
  does("shutdownnotify", "=<cmd>", "Run this command when the stop begins", { list: true, example: "true" }),
  does("startupnotify", "=<cmd>", "Run this command when the start is over", { example: "true" }),
  does("txindex", "", "Find every transaction by its id"),
  does("txospenderindex", "", "Find the transaction that spends an output"),
  does("coinstatsindex", "", "Keep figures about the coins for every block"),
  does("version", "", "Print the version and end")
]
