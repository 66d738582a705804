import { base58KeysValid, base58Pairs, bech32Vectors, keyIoInvalid, keyIoValid } from "./addresses.ts"
import { bip340 } from "./bip340.ts"
import { bip341Wallet } from "./bip341-wallet.ts"
import { bitcoreBlockFields, bitcoreBlocks } from "./bitcore-blocks.ts"
import { bitcoinjsBlocks } from "./bitcoinjs-blocks.ts"
import { bitcoinjsTransactions } from "./bitcoinjs-transactions.ts"
import { blockChainStatistics } from "./block-chain-statistics.ts"
import { blockConnect } from "./block-connect.ts"
import { blockInputs } from "./block-inputs.ts"
import { blockRules } from "./block-rules.ts"
import { blocks } from "./blocks.ts"
import { chains } from "./chains.ts"
import { blocksInvalid, blocksValid } from "./check-block.ts"
import { compactBlocks, sipHashes } from "./compact-blocks.ts"
import { ecdsa } from "./ecdsa.ts"
import { headerBranches, headerChains, headerTrees } from "./header-chains.ts"
import { headerSteps, retargetedHeaders, retargets } from "./header-steps.ts"
import { kernelChain } from "./kernel-chain.ts"
import { kernelScriptVerify } from "./kernel-script-verify.ts"
import { largeTransactions } from "./large-transactions.ts"
import { mainnetTransactions } from "./mainnet-transactions.ts"
import { minedChain } from "./mined-chain.ts"
import { muHashes } from "./muhash.ts"
import { networkParameters } from "./network-parameters.ts"
import { oracleChain } from "./oracle-chain.ts"
import { oracleVerdicts, oracleVerdictsLarge } from "./oracle-verdicts.ts"
import { branches, coinbaseLockTimes } from "./reorganisations.ts"
import { ruleVectors } from "./rules/rule-vectors.ts"
import type { Runner } from "./runner.ts"
import { scriptDiff } from "./script-diff.ts"
import { scriptNumbers } from "./script-number.ts"
import { scriptTests, scriptTestsOlder } from "./script-tests.ts"
import { sighashLegacy } from "./sighash-legacy.ts"
import { canonicalSignatures, noncanonicalSignatures } from "./signature-encodings.ts"
import { scriptAssets, taprootAssets } from "./taproot-assets.ts"
import { checkpoints, retargetBoundaries, targetHistory } from "./targets.ts"
import {
  transactionsInvalid,
  transactionsValid,
  transactionsInvalidOlder,
  transactionsValidOlder
} from "./transaction-tests.ts"
import { conversations, framedMessages } from "./wire-messages.ts"

/** A named set of cases. */
export interface Suite {
  readonly run: Runner
  readonly what: string
  /** Left out by `--small`. */
  readonly large?: true
  /** Left out unless named or asked for by `--slow`. */
  readonly slow?: true
  /** Its cases build on one another, so a file is not divided among workers. */
  readonly ordered?: true
}

const suite = (run: Runner, what: string): Suite => ({ run, what })

/** Every suite by name, in the order of the summary. */
const SUITES = {
  rules: suite(ruleVectors, "our own vectors: each rule kept and broken"),
  script_tests: suite(
    scriptTests,
    "one script against another, with the exact error, and with flags taken away and added"
  ),
  tx_valid: suite(transactionsValid, "transactions that hold, and no longer once an excluded flag is added"),
  tx_invalid: suite(transactionsInvalid, "transactions that fail, and no longer once a flag is taken away"),
  script_tests_older: suite(
    scriptTestsOlder,
    "the same from an older version of the reference, its changed answers brought up to date"
  ),
  tx_valid_older: suite(transactionsValidOlder, "transactions that hold under the flags given (older form)"),
  tx_invalid_older: suite(transactionsInvalidOlder, "transactions that fail under the flags given (older form)"),
  sighash_legacy: suite(sighashLegacy, "signature hashes outside witnesses"),
  taproot_assets: suite(taprootAssets, "taproot spends under every set of consensus flags"),
  script_assets: suite(scriptAssets, "taproot spends under every set of consensus flags (the reference's own dump)"),
  oracle_taproot: suite(taprootAssets, "taproot spends that Bitcoin Core answered"),
  script_diff: {
    ...suite(scriptDiff, "generated, mutated and real spends with the reference's verdict and error"),
    large: true
  },
  bip340: suite(bip340, "Schnorr signatures"),
  bip341_wallet: suite(bip341Wallet, "taproot outputs, control blocks, key path signature hashes and signatures"),
  ecdsa: suite(ecdsa, "ECDSA signatures"),
  sig_canonical: suite(canonicalSignatures, "signatures in strict DER with a defined hash type"),
  sig_noncanonical: suite(noncanonicalSignatures, "signatures that are not"),
  kernel_script_verify: suite(kernelScriptVerify, "requests to the reference's library and its answers"),
  mainnet_txs: suite(mainnetTransactions, "odd transactions of the main network with what they spend"),
  script_number: suite(scriptNumbers, "script numbers both ways"),
  large_txs: suite(largeTransactions, "huge transactions: round trip and both ids"),
  bitcoinjs_transactions: suite(bitcoinjsTransactions, "transactions field by field, and three signature hashes"),
  bitcoinjs_blocks: suite(bitcoinjsBlocks, "headers and blocks field by field"),
  bitcore_blocks: suite(bitcoreBlocks, "whole blocks: round trip and merkle root"),
  bitcore_block_fields: suite(bitcoreBlockFields, "one block field by field"),
  blocks: suite(blocks, "real blocks: round trip, hash, merkle root, weight, signature operations"),
  block_rules: suite(blockRules, "real blocks under every rule that needs no coins"),
  block_connect: suite(
    blockConnect,
    "real blocks with what they spend: fees, subsidy, maturity, locks, costs, and back"
  ),
  block_inputs: { ...suite(blockInputs, "every input of real blocks under the flags of its height"), large: true },
  network_parameters: suite(networkParameters, "every constant in which networks differ"),
  chains: { ...suite(chains, "the first blocks of real and test chains: each becomes the tip"), ordered: true },
  chain_statistics: {
    ...suite(blockChainStatistics, "a chain with the reference's statistics of some blocks"),
    ordered: true
  },
  chain_branches: { ...suite(branches, "two branches: the longer wins"), ordered: true },
  kernel_chain: {
    ...suite(kernelChain, "requests to the reference's library about a chain, and its responses"),
    ordered: true
  },
  mined_chain: { ...suite(minedChain, "a period of real work, given as times and nonces"), ordered: true },
  coinbase_lock_times: suite(coinbaseLockTimes, "short chains with real work and odd lock times of coinbases"),
  check_block_valid: suite(blocksValid, "blocks that hold by themselves"),
  check_block_invalid: suite(blocksInvalid, "blocks that fail by themselves"),
  muhash: suite(muHashes, "hashes of multisets"),
  header_chains: { ...suite(headerChains, "headers of a chain from its genesis block on"), ordered: true },
  header_branches: { ...suite(headerBranches, "headers of a chain with a branch"), ordered: true },
  header_trees: suite(headerTrees, "header chains with real work and hostile times"),
  header_steps: suite(headerSteps, "the end of a chain, one header, the end of the chain behind it"),
  retargets: suite(retargets, "times and bits of a period and the bits of the next"),
  retargeted_headers: { ...suite(retargetedHeaders, "headers around a retarget"), ordered: true },
  retarget_boundaries: suite(retargetBoundaries, "the first header of each difficulty period with the chain's work"),
  checkpoints: suite(checkpoints, "the last hash of each difficulty period with the next target"),
  target_history: suite(targetHistory, "heights and targets"),
  "oracle-chain": {
    ...suite(oracleChain, "a chain of Bitcoin Core with forks: every answer, state, undo data, tips, and any order"),
    ordered: true
  },
  "oracle-verdicts": {
    ...suite(oracleVerdicts, "what Bitcoin Core answered to blocks, headers and calls of its own scenario tests"),
    ordered: true,
    large: true
  },
  "oracle-verdicts-large": {
    ...suite(oracleVerdictsLarge, "the same from where a test reorganises hundreds of blocks of a megabyte"),
    ordered: true,
    slow: true
  },
  framed_messages: suite(framedMessages, "real messages between nodes in their frames, and back to the same bytes"),
  conversations: suite(
    conversations,
    "messages exchanged with Bitcoin Core: the same bytes again, or refused as it did"
  ),
  compact_blocks: suite(compactBlocks, "compact blocks put together from the transactions of their blocks"),
  siphash: suite(sipHashes, "the keyed hash behind short ids"),
  base58: suite(base58Pairs, "base58 both ways"),
  base58_keys_valid: suite(base58KeysValid, "addresses and keys (older form)"),
  key_io_valid: suite(keyIoValid, "addresses and keys of every network"),
  key_io_invalid: suite(keyIoInvalid, "what is neither an address nor a key"),
  bech32: suite(bech32Vectors, "bech32m and witness addresses")
} satisfies Record<string, Suite>

export type SuiteName = keyof typeof SUITES

export const SUITE_NAMES = Object.keys(SUITES) as ReadonlyArray<SuiteName>

/** The suite called `name`. */
export const suiteCalled = (name: SuiteName): Suite => SUITES[name]
