import { assemble } from "../formats/assembler.ts"
import { fromHex, join, toHex } from "./bytes.ts"
import { publicKey, secretKey, signSchnorr } from "./curve.ts"
import { leafHash, revealed } from "./leaves.ts"
import { taprootHash } from "./signature-hash.ts"
import { CONSENSUS, push, spendingOf } from "./spends.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

const { xOnly, compressed } = publicKey(1)
const NO_SEPARATOR = 0xffffffff

interface LeafSpend {
  readonly separator?: number
  readonly signedScript?: string
  readonly annex?: Uint8Array
  readonly type?: number
  readonly flags?: string
  readonly rules?: ReadonlyArray<string>
  /** What is put in place of the signature. */
  readonly edit?: (signature: Uint8Array) => Uint8Array
}

/** A spend of a lone leaf whose script finds one signature on the stack. */
const leaf = (name: string, expect: unknown, script: string, given: LeafSpend = {}): VectorCase => {
  const { separator = NO_SEPARATOR, annex, type = 0, flags = CONSENSUS, edit = (s) => s, rules } = given
  const { outputKey, control } = revealed(secretKey(4), assemble(script))
  const spent = { value: 5000n, script: join(fromHex("5120"), outputKey) }
  const extension = {
    leaf: leafHash(assemble(given.signedScript ?? script)),
    separator,
    ...annex !== undefined && { annex }
  }
  const digest = taprootHash(spendingOf(spent), 0, [spent], type, extension)
  const signature = edit(join(signSchnorr(secretKey(1), digest), type === 0 ? new Uint8Array(0) : Uint8Array.of(type)))
  const witness = [signature, assemble(script), control, ...annex === undefined ? [] : [annex]].map(toHex)
  return {
    name,
    ...rules !== undefined && { rules },
    spend: { scriptPubKey: `1 ${push(outputKey)}`, witness, amount: 5000, flags },
    expect
  }
}

const check = `${push(xOnly)} CHECKSIG`
const unknownCheck = `${push(compressed)} CHECKSIG`
const separated = `${push(compressed)} DROP CODESEPARATOR ${check}`
const none = (): Uint8Array => new Uint8Array(0)
const another = (signature: Uint8Array): Uint8Array =>
  join(signature.subarray(0, 63), Uint8Array.of(signature[63]! ^ 1))
const garbage = (): Uint8Array => fromHex("aa")
const REFUSED = breaks("SIG-007", "SCHNORR_SIG")
const BUDGET = breaks("TAP-011", "TAPSCRIPT_VALIDATION_WEIGHT")
const DISCOURAGED = `${CONSENSUS},DISCOURAGE_UPGRADABLE_PUBKEYTYPE`

/** A check that leaves its signature for the next one. */
const again = `DUP ${push(xOnly)} CHECKSIGVERIFY `

/** A check by a key of unknown type, which takes as much of the budget as any other. */
const unknown = "DUP 0x01 0xaa CHECKSIGVERIFY "

export const tapscriptChecks: RuleVectors = {
  rule: "TAP-015",
  cases: [
    leaf("a signature", "holds", check, { rules: ["TAP-003", "TAP-011", "TAP-012", "TAP-016", "SIG-007", "SHH-020"] }),
    leaf("SINGLE with ANYONECANPAY", "holds", check, { type: 0x83 }),
    leaf("an annex is signed", "holds", check, { annex: fromHex("50") }),
    leaf("an empty signature is false and no fault", breaks("WIT-009", "EVAL_FALSE"), check, { edit: none }),
    leaf("an empty signature where the script wants one", "holds", `${check} NOT`, { edit: none }),
    leaf("a signature that does not verify ends the script", REFUSED, `${check} NOT`, { edit: another }),
    leaf("so does one of the wrong size", breaks("SIG-005", "SCHNORR_SIG_SIZE"), `${check} NOT`, { edit: garbage }),
    leaf("and one with an explicit default", breaks("SIG-006", "SCHNORR_SIG_HASHTYPE"), `${check} NOT`, {
      edit: (s) => join(s, Uint8Array.of(0))
    }),
    leaf("OP_CHECKSIGADD counts it", "holds", `0 ${push(xOnly)} CHECKSIGADD 1 EQUAL`),
    leaf("OP_CHECKSIGADD does not count an empty one", "holds", `7 ${push(xOnly)} CHECKSIGADD 7 EQUAL`, { edit: none }),
    leaf("the leaf is signed", REFUSED, check, { signedScript: `NOP ${check}` }),
    leaf("a separator is signed by its position in instructions", "holds", separated, { separator: 2 }),
    leaf("a separator is not signed by its position in bytes", REFUSED, separated, { separator: 35 }),
    leaf("a separator does not cut the leaf", REFUSED, `CODESEPARATOR ${check}`, { separator: 0, signedScript: check }),
    leaf("the last executed separator counts", "holds", `CODESEPARATOR NOP CODESEPARATOR ${check}`, { separator: 2 }),
    leaf("a separator in a branch that is not taken does not", "holds", `0 IF CODESEPARATOR ENDIF ${check}`),
    leaf("but its instructions are counted", "holds", `0 IF NOP NOP ENDIF CODESEPARATOR ${check}`, { separator: 5 }),
    leaf("a separator behind the check does not", "holds", `${check} CODESEPARATOR`),
    leaf("a separator was signed that is not executed", REFUSED, check, { separator: 0 }),
    leaf("a key of 33 bytes is of unknown type: any signature is good", "holds", unknownCheck, { edit: garbage }),
    leaf("a key of one byte is too", "holds", "0x01 0x00 CHECKSIG", { edit: garbage }),
    leaf("but an empty signature", breaks("WIT-009", "EVAL_FALSE"), unknownCheck, { edit: none }),
    leaf(
      "unknown key types are refused by policy",
      breaks("POL-016", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE"),
      unknownCheck,
      {
        edit: garbage,
        flags: DISCOURAGED
      }
    ),
    leaf("an empty key", breaks("TAP-012", "TAPSCRIPT_EMPTY_PUBKEY"), "0 CHECKSIG", { edit: garbage }),
    leaf("an empty key with an empty signature", breaks("TAP-012", "TAPSCRIPT_EMPTY_PUBKEY"), "0 CHECKSIG NOT", {
      edit: none
    }),
    leaf("ten checks of one signature: 502 pay for 500", "holds", `${again.repeat(9)}${check}`),
    leaf("eleven checks of one signature: 537 do not pay for 550", BUDGET, `${again.repeat(10)}${check}`),
    leaf("the budget is paid before the signature is verified", BUDGET, `${unknown.repeat(2)}${check}`, {
      edit: garbage
    })
  ]
}
