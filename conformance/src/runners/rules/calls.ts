import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { encodeCompactSize, readCompactSize } from "@lockstep/kernel/internal/bytes/compact-size.ts"
import { advance, nothingFollows } from "@lockstep/kernel/internal/bytes/cursor.ts"
import { taggedHash } from "@lockstep/kernel/internal/crypto/tagged-hash.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { decodeHeader } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash, transactionId, witnessTransactionId } from "@lockstep/kernel/internal/model/identity.ts"
import * as codec from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { blockWeight, transactionWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { numberIsMinimal, pushIsMinimal } from "@lockstep/kernel/internal/policy/minimal-data.ts"
import { separatorIsAbsent, signatureIsNotInScript } from "@lockstep/kernel/internal/policy/script-code.ts"
import { scriptSigIsPushOnly, stackIsClean } from "@lockstep/kernel/internal/policy/script-sig.ts"
import * as policySignature from "@lockstep/kernel/internal/policy/signature.ts"
import * as upgradable from "@lockstep/kernel/internal/policy/upgradable.ts"
import { isBroken, type Outcome, YES } from "@lockstep/kernel/internal/script/fault.ts"
import { findAndDelete } from "@lockstep/kernel/internal/script/find-and-delete.ts"
import { isPushOnly } from "@lockstep/kernel/internal/script/instruction.ts"
import * as limits from "@lockstep/kernel/internal/machine/limits.ts"
import { multisigDummyIsNull } from "@lockstep/kernel/internal/interpreter/op/multisig.ts"
import {
  isPayToScriptHash,
  redeemingScriptSigIsPushOnly
} from "@lockstep/kernel/internal/interpreter/pay-to-script-hash.ts"
import { encodeScriptNumber, isTrue, scriptNumber } from "@lockstep/kernel/internal/interpreter/script-number.ts"
import { parseLaxDer, signatureIsStrictDer } from "@lockstep/kernel/internal/signature/der.ts"
import { ecdsaVerifies } from "@lockstep/kernel/internal/signature/ecdsa.ts"
import { ecdsaPublicKey } from "@lockstep/kernel/internal/signature/public-key.ts"
import {
  schnorrHashType,
  schnorrSignatureSize,
  schnorrSignatureVerifies
} from "@lockstep/kernel/internal/signature/schnorr.ts"
import { finalStackIsTrue } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import { legacySighash, withoutCodeSeparators } from "@lockstep/kernel/internal/sighash/legacy.ts"
import { taprootSighash } from "@lockstep/kernel/internal/sighash/taproot.ts"
import { witnessV0Sighash } from "@lockstep/kernel/internal/sighash/witness-v0.ts"
import { legacySigOps, transactionSigOpCost } from "@lockstep/kernel/internal/sigops/cost.ts"
import { payToScriptHashSigOps } from "@lockstep/kernel/internal/sigops/pay-to-script-hash.ts"
import { scriptSigOps } from "@lockstep/kernel/internal/sigops/script.ts"
import { witnessSigOps } from "@lockstep/kernel/internal/sigops/witness.ts"
import { annexOf } from "@lockstep/kernel/internal/taproot/annex.ts"
import {
  controlBlockSize,
  outputCommitsToLeaf,
  tapLeafHash,
  taprootMerkleRoot
} from "@lockstep/kernel/internal/taproot/control-block.ts"
import { tapscriptStackSize } from "@lockstep/kernel/internal/interpreter/verify-script-path.ts"
import { isSuccessOpcode, scanForSuccess } from "@lockstep/kernel/internal/taproot/success.ts"
import { multisigIsNotTapscript, tapscriptIfArgument } from "@lockstep/kernel/internal/taproot/tapscript-rules.ts"
import { signatureBudget, tapscriptKeyIsNotEmpty } from "@lockstep/kernel/internal/taproot/tapscript-signature.ts"
import { taprootWitnessIsPresent } from "@lockstep/kernel/internal/interpreter/verify-taproot.ts"
import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import * as txInputs from "@lockstep/kernel/internal/tx/inputs.ts"
import * as txOutputs from "@lockstep/kernel/internal/tx/outputs.ts"
import { coinbaseScriptSize, strippedSizeFitsBlock } from "@lockstep/kernel/internal/tx/size.ts"
import { witnessItemSize, witnessStackIsClean } from "@lockstep/kernel/internal/interpreter/execute-witness-script.ts"
import {
  nativeScriptSigIsEmpty,
  nestedScriptSigIsOnePush,
  witnessIsExpected
} from "@lockstep/kernel/internal/witness/malleation.ts"
import { witnessProgram } from "@lockstep/kernel/internal/script/witness-program.ts"
import {
  payToWitnessPublicKeyHash,
  payToWitnessScriptHash,
  versionZeroLength
} from "@lockstep/kernel/internal/witness/version-zero.ts"
import { faultAnswer, type RuleAnswer, valueAnswer } from "./answer.ts"
import { type Call, fault, reader, reading, value, verdict } from "./call.ts"
import { CHAIN_CALLS } from "./chain-calls.ts"
import { COIN_CALLS } from "./coin-calls.ts"
import * as a from "./parameter.ts"
import { RELAY_CALLS } from "./relay-calls.ts"

const numberAnswer = (result: number): RuleAnswer =>
  Number.isNaN(result) ? { kind: "violation", rule: "SCR-007", error: "SCRIPTNUM" } : valueAnswer(result)

const scanAnswer = (
  result: Outcome
): RuleAnswer => (isBroken(result) ? faultAnswer(result) : valueAnswer(result === YES))

const {
  bigint,
  block,
  boolean,
  bytes,
  crypto,
  cursor,
  digests,
  extension,
  flags,
  header,
  inputs,
  machine,
  number,
  outputs,
  stack,
  tag,
  transaction,
  version
} = a

/** Every kernel function that a case may call by name, with its parameters in order. */
export const CALLS: Readonly<Record<string, Call>> = {
  readCompactSize: reading(readCompactSize, cursor("cursor")),
  encodeCompactSize: value(encodeCompactSize, number("value")),
  advance: reading(advance, cursor("cursor"), number("count")),
  nothingFollows: verdict(nothingFollows, cursor("cursor")),
  readTransaction: reading(codec.readTransaction, cursor("cursor")),
  witnessIsNotSuperfluous: verdict(codec.witnessIsNotSuperfluous, inputs("inputs")),
  optionalDataIsKnown: verdict(codec.optionalDataIsKnown, number("flag")),
  encodeWithoutWitness: value(codec.encodeWithoutWitness, transaction("tx")),
  decodeTransaction: verdict(codec.decodeTransaction, bytes("bytes")),
  decodeHeader: verdict(decodeHeader, bytes("bytes")),
  decodeBlock: verdict(decodeBlock, bytes("bytes")),
  transactionId: value(transactionId, transaction("tx"), crypto),
  witnessTransactionId: value(witnessTransactionId, transaction("tx"), crypto),
  blockHash: value(blockHash, header("header"), crypto),
  transactionWeight: value(transactionWeight, transaction("tx")),
  blockWeight: value(blockWeight, block("block")),
  merkleRoot: value(merkleRoot, bytes("hashes"), crypto),

  scriptSize: fault(limits.scriptSize, bytes("script"), version),
  pushSize: fault(limits.pushSize, number("length")),
  opcodeCount: fault(limits.opcodeCount, number("count")),
  stackSize: fault(limits.stackSize, number("depth"), number("altDepth")),
  opcodeIsEnabled: fault(limits.opcodeIsEnabled, number("opcode")),
  scriptNumber: reader<[Uint8Array, number], number>(numberAnswer)(scriptNumber, bytes("bytes"), number("maxSize")),
  encodeScriptNumber: value(encodeScriptNumber, number("value")),
  isTrue: value(isTrue, bytes("bytes")),
  finalStackIsTrue: fault(finalStackIsTrue, machine("m")),
  findAndDelete: value(findAndDelete, bytes("script"), bytes("needle")),
  isPushOnly: value(isPushOnly, bytes("script")),
  isPayToScriptHash: value(isPayToScriptHash, bytes("script")),
  redeemingScriptSigIsPushOnly: fault(redeemingScriptSigIsPushOnly, bytes("scriptSig")),

  signatureIsStrictDer: fault(signatureIsStrictDer, bytes("signature"), flags),
  parseLaxDer: value(parseLaxDer, bytes("signature")),
  ecdsaPublicKey: value(ecdsaPublicKey, bytes("key")),
  ecdsaVerifies: value(ecdsaVerifies, crypto, bytes("signature"), bytes("key"), bytes("digest")),
  schnorrSignatureSize: fault(schnorrSignatureSize, bytes("signature")),
  schnorrHashType: fault(schnorrHashType, bytes("signature"), number("outputCount"), number("inputIndex")),
  schnorrSignatureVerifies: fault(schnorrSignatureVerifies, crypto, bytes("signature"), bytes("key"), bytes("digest")),
  multisigDummyIsNull: fault(multisigDummyIsNull, bytes("dummy"), flags),

  legacySighash: value(
    legacySighash,
    transaction("tx"),
    number("inputIndex"),
    bytes("scriptCode"),
    number("hashType"),
    digests,
    crypto
  ),
  withoutCodeSeparators: value(withoutCodeSeparators, bytes("script")),
  witnessV0Sighash: value(
    witnessV0Sighash,
    transaction("tx"),
    number("inputIndex"),
    bytes("scriptCode"),
    bigint("amount"),
    number("hashType"),
    digests,
    crypto
  ),
  taprootSighash: value(
    taprootSighash,
    transaction("tx"),
    number("inputIndex"),
    outputs("spentOutputs"),
    number("hashType"),
    extension,
    digests,
    crypto
  ),
  spendDigests: value(spendDigests, transaction("tx"), outputs("spentOutputs"), crypto),
  taggedHash: value(taggedHash, crypto, tag("tag"), bytes("message")),

  witnessProgram: value(witnessProgram, bytes("script")),
  nativeScriptSigIsEmpty: fault(nativeScriptSigIsEmpty, bytes("scriptSig")),
  nestedScriptSigIsOnePush: fault(nestedScriptSigIsOnePush, bytes("scriptSig"), bytes("redeemScript")),
  witnessIsExpected: fault(witnessIsExpected, stack("witness"), boolean("hadProgram")),
  versionZeroLength: fault(versionZeroLength, bytes("program")),
  payToWitnessPublicKeyHash: fault(payToWitnessPublicKeyHash, stack("witness")),
  payToWitnessScriptHash: fault(payToWitnessScriptHash, bytes("program"), stack("witness"), crypto),
  witnessItemSize: fault(witnessItemSize, machine("m")),
  witnessStackIsClean: fault(witnessStackIsClean, machine("m")),

  taprootWitnessIsPresent: fault(taprootWitnessIsPresent, stack("witness")),
  annexOf: value(annexOf, stack("witness")),
  controlBlockSize: fault(controlBlockSize, bytes("control")),
  tapLeafHash: value(tapLeafHash, number("leafVersion"), bytes("script"), crypto),
  taprootMerkleRoot: value(taprootMerkleRoot, bytes("control"), bytes("leafHash"), crypto),
  outputCommitsToLeaf: fault(outputCommitsToLeaf, bytes("program"), bytes("control"), bytes("root"), crypto),
  scanForSuccess: reader<[Uint8Array], Outcome>(scanAnswer)(scanForSuccess, bytes("script")),
  isSuccessOpcode: value(isSuccessOpcode, number("opcode")),
  tapscriptStackSize: fault(tapscriptStackSize, number("depth")),
  signatureBudget: fault(signatureBudget, number("weightLeft")),
  tapscriptKeyIsNotEmpty: fault(tapscriptKeyIsNotEmpty, bytes("key")),
  multisigIsNotTapscript: fault(multisigIsNotTapscript, version),
  tapscriptIfArgument: fault(tapscriptIfArgument, bytes("argument"), version),

  hashTypeIsDefined: fault(policySignature.hashTypeIsDefined, bytes("signature"), flags),
  publicKeyIsStandardForm: fault(policySignature.publicKeyIsStandardForm, bytes("key"), flags),
  signatureIsLowS: fault(policySignature.signatureIsLowS, bytes("signature"), flags),
  failedSignatureIsEmpty: fault(policySignature.failedSignatureIsEmpty, bytes("signature"), flags),
  witnessKeyIsCompressed: fault(policySignature.witnessKeyIsCompressed, bytes("key"), version, flags),
  pushIsMinimal: fault(pushIsMinimal, machine("m")),
  numberIsMinimal: fault(numberIsMinimal, bytes("bytes"), flags),
  stackIsClean: fault(stackIsClean, number("depth"), flags),
  scriptSigIsPushOnly: fault(scriptSigIsPushOnly, bytes("scriptSig"), flags),
  upgradableNopIsUnused: fault(upgradable.upgradableNopIsUnused, flags),
  witnessVersionIsKnown: fault(
    upgradable.witnessVersionIsKnown,
    number("version"),
    bytes("program"),
    boolean("nested"),
    flags
  ),
  ifArgumentIsMinimal: fault(upgradable.ifArgumentIsMinimal, bytes("argument"), version, flags),
  leafVersionIsKnown: fault(upgradable.leafVersionIsKnown, flags),
  successOpcodeIsAbsent: fault(upgradable.successOpcodeIsAbsent, flags),
  tapscriptKeyTypeIsKnown: fault(upgradable.tapscriptKeyTypeIsKnown, flags),
  separatorIsAbsent: fault(separatorIsAbsent, number("opcode"), version, flags),
  signatureIsNotInScript: fault(signatureIsNotInScript, bytes("given"), bytes("left"), flags),

  scriptSigOps: value(scriptSigOps, bytes("script"), boolean("accurate")),
  payToScriptHashSigOps: value(payToScriptHashSigOps, bytes("scriptSig"), bytes("scriptPubKey")),
  witnessSigOps: value(witnessSigOps, bytes("scriptSig"), bytes("scriptPubKey"), stack("witness"), flags),
  transactionSigOpCost: value(transactionSigOpCost, transaction("tx"), outputs("spentOutputs"), flags),
  legacySigOps: value(legacySigOps, transaction("tx")),

  inputsExist: verdict(txInputs.inputsExist, transaction("tx")),
  inputsAreDistinct: verdict(txInputs.inputsAreDistinct, transaction("tx")),
  prevoutsAreNotNull: verdict(txInputs.prevoutsAreNotNull, transaction("tx")),
  outputsExist: verdict(txOutputs.outputsExist, transaction("tx")),
  outputValueIsNotNegative: verdict(txOutputs.outputValueIsNotNegative, bigint("value")),
  outputValueIsInRange: verdict(txOutputs.outputValueIsInRange, bigint("value")),
  outputTotalIsInRange: verdict(txOutputs.outputTotalIsInRange, bigint("total")),
  strippedSizeFitsBlock: verdict(strippedSizeFitsBlock, transaction("tx")),
  coinbaseScriptSize: verdict(coinbaseScriptSize, transaction("tx")),
  checkTransaction: verdict(checkTransaction, transaction("tx")),

  ...CHAIN_CALLS,
  ...COIN_CALLS,
  ...RELAY_CALLS
}
