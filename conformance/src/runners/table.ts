import { base58KeysValid, base58Pairs, bech32Vectors, keyIoInvalid, keyIoValid } from "./addresses.ts"
import { bip340 } from "./bip340.ts"
import { bip341Wallet } from "./bip341-wallet.ts"
import { bitcoreBlockFields, bitcoreBlocks } from "./bitcore-blocks.ts"
import { bitcoinjsBlocks } from "./bitcoinjs-blocks.ts"
import { bitcoinjsTransactions } from "./bitcoinjs-transactions.ts"
import { blockInputs } from "./block-inputs.ts"
import { blocks } from "./blocks.ts"
import { ecdsa } from "./ecdsa.ts"
import { kernelScriptVerify } from "./kernel-script-verify.ts"
import { largeTransactions } from "./large-transactions.ts"
import { mainnetTransactions } from "./mainnet-transactions.ts"
import { ruleVectors } from "./rules/rule-vectors.ts"
import type { Runner } from "./runner.ts"
import { scriptDiff } from "./script-diff.ts"
import { scriptNumbers } from "./script-number.ts"
import { scriptTests, scriptTestsOlder } from "./script-tests.ts"
import { sighashLegacy } from "./sighash-legacy.ts"
import { canonicalSignatures, noncanonicalSignatures } from "./signature-encodings.ts"
import { scriptAssets, taprootAssets } from "./taproot-assets.ts"
import { transactionsInvalid, transactionsValid, transactionsInvalidOlder, transactionsValidOlder } from "./transaction-tests.ts"

/** A named set of cases. A `large` one is left out by `--small`. */
interface Suite {
  readonly run: Runner
  readonly what: string
  readonly large?: true
}

const suite = (run: Runner, what: string): Suite => ({ run, what })

/** Every suite by name, in the order of the summary. */
const SUITES = {
  rules: suite(ruleVectors, "our own vectors: each rule kept and broken"),
  script_tests: suite(scriptTests, "one script against another, with the exact error, and with flags taken away and added"),
  tx_valid: suite(transactionsValid, "transactions that hold, and no longer once an excluded flag is added"),
  tx_invalid: suite(transactionsInvalid, "transactions that fail, and no longer once a flag is taken away"),
  script_tests_older: suite(scriptTestsOlder, "the same from an older version of the reference, its changed answers brought up to date"),
  tx_valid_older: suite(transactionsValidOlder, "transactions that hold under the flags given (older form)"),
  tx_invalid_older: suite(transactionsInvalidOlder, "transactions that fail under the flags given (older form)"),
  sighash_legacy: suite(sighashLegacy, "signature hashes outside witnesses"),
  taproot_assets: suite(taprootAssets, "taproot spends under every set of consensus flags"),
  script_assets: suite(scriptAssets, "taproot spends under every set of consensus flags (the reference's own dump)"),
  oracle_taproot: suite(taprootAssets, "taproot spends that the reference implementation answered"),
  script_diff: { ...suite(scriptDiff, "generated, mutated and real spends with the reference's verdict and error"), large: true },
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
  block_inputs: { ...suite(blockInputs, "every input of real blocks under the flags of its height"), large: true },
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
