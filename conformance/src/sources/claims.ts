import type { SuiteName } from "../runners/table.ts"
import type { SourceKind } from "./source.ts"

/** Files of a source that a suite judges the kernel with. In `files`, `*` is any text without `/`, `**` any text. */
interface Claim {
  readonly source: SourceKind
  readonly files: string
  readonly suite: SuiteName
}

/** Files that no suite reads, and why. */
export interface Unread {
  readonly source: SourceKind
  readonly files: string
  readonly why: string
}

const root = (files: string, suite: SuiteName): Claim => ({ source: "root", files, suite })
const npm = (files: string, suite: SuiteName): Claim => ({ source: "npm", files, suite })

/** Which suites read which files. Several may read one file. */
export const CLAIMS: ReadonlyArray<Claim> = [
  { source: "ours", files: "rules/**.json", suite: "rules" },

  root("script/script_tests.json", "script_tests"),
  root("script/tx_valid.json", "tx_valid"),
  root("script/tx_invalid.json", "tx_invalid"),
  root("script/sighash_legacy.json", "sighash_legacy"),
  root("script/taproot_assets*.jsonl.gz", "taproot_assets"),
  root("oracle/taproot/*.jsonl.gz", "oracle_taproot"),
  root("oracle/script_diff*.jsonl.gz", "script_diff"),
  root("script/bip341_wallet_vectors.json", "bip341_wallet"),
  root("script/kernel_script_verify_*.json", "kernel_script_verify"),
  root("script/mainnet_txs_with_prevouts.json.gz", "mainnet_txs"),
  root("crypto/bip340_test_vectors.csv", "bip340"),
  root("crypto/ecdsa_bitcoinjs.json", "ecdsa"),
  root("crypto/sig_canonical.json", "sig_canonical"),
  root("crypto/sig_noncanonical.json", "sig_noncanonical"),
  root("serialization/script_number.json", "script_number"),
  root("serialization/large_txs.json.gz", "large_txs"),
  root("serialization/bitcoinjs_transactions.json", "bitcoinjs_transactions"),
  root("serialization/bitcoinjs_blocks.json", "bitcoinjs_blocks"),
  root("serialization/base58_encode_decode.json", "base58"),
  root("serialization/key_io_valid.json", "key_io_valid"),
  root("serialization/key_io_invalid.json", "key_io_invalid"),
  root("serialization/bip350.json", "bech32"),
  root("chain/chainparams_facts.json", "network_parameters"),
  root("chain/*.dat", "chains"),
  root("chain/*.txt", "chains"),
  root("chain/regtest_getblockstats.json", "chain_statistics"),
  root("chain/floresta_reorg.json", "chain_branches"),
  root("chain/regtest_kernel_chain.json", "kernel_chain"),
  root("chain/mainnet_alt.json", "mined_chain"),
  root("chain/bip54_coinbase_chains.json", "coinbase_lock_times"),
  root("chain/checkblock_valid.json", "check_block_valid"),
  root("chain/checkblock_invalid.json", "check_block_invalid"),
  root("headers/mainnet_0_*.bin", "header_chains"),
  root("headers/signet_0_*.bin", "header_chains"),
  root("headers/testnet*_0_*.bin", "header_chains"),
  root("headers/testnet3_fork.hex", "header_branches"),
  root("headers/bip54_header_chains.json.gz", "header_trees"),
  root("headers/chain_state_transitions.json", "header_steps"),
  root("headers/retarget_core_pow_tests.json", "retargets"),
  root("headers/relay_retarget.json", "retargeted_headers"),
  root("headers/mainnet_retarget_boundaries.json", "retarget_boundaries"),
  root("headers/mainnet_electrum_checkpoints.json", "checkpoints"),
  root("headers/mainnet_target_history.csv", "target_history"),
  root("crypto/muhash.json", "muhash"),
  root("oracle/chain/blocks.dat.gz", "oracle-chain"),
  root("oracle/verdicts/*.jsonl.gz", "oracle-verdicts"),
  root("oracle/verdicts/*.jsonl.gz", "oracle-verdicts-large"),
  root("p2p/messages_*.json", "framed_messages"),
  root("p2p/messages_*.json.gz", "framed_messages"),
  root("oracle/p2p/*.jsonl.gz", "conversations"),
  root("p2p/compact_*.raw", "compact_blocks"),
  root("crypto/siphash.json", "siphash"),
  root("blocks/*.blk", "blocks"),
  root("blocks/*.spent.json.gz", "block_inputs"),
  root("blocks/*.blk", "block_rules"),
  root("blocks/*.spent.json.gz", "block_connect"),

  npm("test/data/bitcoind/script_tests.json", "script_tests_older"),
  npm("test/data/bitcoind/script_assets_test.json", "script_assets"),
  npm("test/data/bitcoind/tx_valid.json", "tx_valid_older"),
  npm("test/data/bitcoind/tx_invalid.json", "tx_invalid_older"),
  npm("test/data/bitcoind/sig_canonical.json", "sig_canonical"),
  npm("test/data/bitcoind/sig_noncanonical.json", "sig_noncanonical"),
  npm("test/data/bitcoind/base58_keys_valid.json", "base58_keys_valid"),
  npm("test/data/bitcoind/base58_keys_invalid.json", "key_io_invalid"),
  npm("test/data/bitcoind/wallet_test_vectors.json", "bip341_wallet"),
  npm("test/data/bitcoind/blocks.json", "bitcore_blocks"),
  npm("test/data/blk86756-testnet.json", "bitcore_block_fields"),
  npm("test/data/sighash.json", "sighash_legacy"),
  npm("test/data/bip340.js", "bip340"),
  npm("test/data/ecdsa.json", "ecdsa"),
  npm("test/data/messages.json", "framed_messages")
]

/** Files read along with a claimed one: they carry facts, not cases. */
export const COMPANIONS: ReadonlyArray<Unread> = [
  {
    source: "root",
    files: "oracle/chain/index.json",
    why: "results and tips, read with blocks.dat.gz (suite oracle-chain)"
  },
  {
    source: "root",
    files: "oracle/chain/txoutset.jsonl.gz",
    why: "statistics and hashes of the coins (suite oracle-chain)"
  },
  { source: "root", files: "oracle/chain/utxo_*.dat.json", why: "hashes of two snapshots (suite oracle-chain)" },
  { source: "root", files: "oracle/chain/getblock_v3.jsonl.gz", why: "what transactions spend (suite oracle-chain)" },
  {
    source: "root",
    files: "p2p/block_*.blk",
    why: "the block of a compact block, read with it (suite compact_blocks)"
  },
  { source: "root", files: "blocks/index.json", why: "facts about each block, read with it (suite blocks)" },
  {
    source: "npm",
    files: "test/data/blk86756-testnet.dat",
    why: "the block that blk86756-testnet.json describes, read with it"
  }
]

/** Files that will never be read here. */
export const EXCLUSIONS: ReadonlyArray<Unread> = [
  { source: "root", files: "**README.md", why: "documentation" },
  { source: "root", files: "**MANIFEST.json", why: "checksums of the other files, checked before they are read" },
  { source: "root", files: "script/bip119_ctvhash*", why: "BIP119 is not a consensus rule" },
  { source: "ours", files: "**README.md", why: "documentation" },
  { source: "ours", files: "formats/*.md", why: "documentation" },
  { source: "ours", files: "manifest.json", why: "checksums of the npm files, checked before they are read" },
  { source: "npm", files: "test/data/bip69.json", why: "the order in which a wallet sorts inputs and outputs" },
  { source: "npm", files: "test/data/taproot_accounts.js", why: "how a wallet derives keys (BIP86)" },
  { source: "npm", files: "test/data/tx_creation.json", why: "steps of that package's own transaction builder" },
  { source: "npm", files: "test/data/blk86756-testnet.js", why: "the same block as blk86756-testnet.dat, as a module" }
]

/** Files for suites of later work, and whose. */
export const STILL_TO_COME: ReadonlyArray<Unread> = [
  { source: "root", files: "headers/*filter_headers*", why: "compact filters of blocks" },
  { source: "root", files: "oracle/chain/core_datadir_*", why: "storage: reading Bitcoin Core's files" },
  { source: "root", files: "oracle/chain/utxo_*.dat.gz", why: "storage: snapshot files" },
  { source: "root", files: "oracle/chain/filters.jsonl.gz", why: "compact filters of blocks" },
  { source: "root", files: "oracle/chain/rbf.json.gz", why: "memory pool" },
  { source: "root", files: "oracle/rpc/**", why: "RPC answers" },
  { source: "root", files: "p2p/filters_*", why: "compact filters of blocks" },
  { source: "root", files: "p2p/merkleblock_*", why: "partial merkle trees: proofs that a transaction is in a block" },
  { source: "root", files: "p2p/block_*.hex", why: "the block of a partial merkle tree" },
  { source: "root", files: "crypto/bip324_*", why: "encrypted transport" },
  { source: "root", files: "crypto/*swift*", why: "encrypted transport" },
  { source: "root", files: "bips/bip110.json", why: "proposed rules" },
  { source: "root", files: "bips/bip119_tx_*.json", why: "proposed rules" },
  { source: "root", files: "bips/bip446_*", why: "proposed rules" },
  { source: "root", files: "bips/bip54_*", why: "proposed rules" },
  { source: "root", files: "bips/bip352_*", why: "silent payments" },
  { source: "root", files: "bips/bip374_*", why: "silent payments" },
  { source: "root", files: "bips/bip375.json", why: "silent payments" },
  { source: "ours", files: "chains/**", why: "block and chain rules" },
  {
    source: "npm",
    files: "test/data/merkleblocks.js",
    why: "partial merkle trees: proofs that a transaction is in a block"
  }
]
