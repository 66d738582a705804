import { Point } from "@noble/secp256k1"
import { assemble } from "../formats/assembler.ts"
import { fromHex, hash160, join, sha256, to32, toHex } from "./bytes.ts"
import { der, type Ecdsa, keyForms, publicKey, raised, reduced, secretKey, signEcdsa, signerOf } from "./curve.ts"
import { paysOne } from "./sample-transactions.ts"
import { legacyHash, witnessV0Hash } from "./signature-hash.ts"
import { CONSENSUS, push, spendingOf, spendSubject, withInput } from "./spends.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

const key = publicKey(1)
const secret = secretKey(1)
const FALSE = breaks("SCR-011", "EVAL_FALSE")

/** How a signature is written: DER and hash type. */
type Encoding = (signature: Ecdsa, type: number) => Uint8Array
const strict: Encoding = (signature, type) => join(der(signature), Uint8Array.of(type))
const highS: Encoding = (signature, type) => strict(raised(signature), type)
/** r with a zero byte too many: two bytes before it, both lengths, change too. */
const padded: Encoding = (signature, type) => {
  const [, size, , rSize] = der(signature)
  return join(Uint8Array.of(0x30, size! + 2, 2, rSize! + 2, 0, 0), der(signature).subarray(4), Uint8Array.of(type))
}
const empty: Encoding = () => new Uint8Array(0)

interface PublicKeySpend {
  readonly key?: Uint8Array
  readonly type?: number
  readonly encoding?: Encoding
  readonly secret?: bigint
  readonly flags?: string
  /** Assembly around the key; a signature covers the script without its separators. */
  readonly script?: (key: Uint8Array) => string
  readonly signed?: (key: Uint8Array) => string
  readonly rules?: ReadonlyArray<string>
}

/** A spend of pay to public key. */
const toKey = (name: string, expect: unknown, given: PublicKeySpend = {}): VectorCase => {
  const { key: by = key.compressed, type = 1, encoding = strict, flags = CONSENSUS, rules } = given
  const script = given.script ?? ((k) => `${push(k)} CHECKSIG`)
  const spent = { value: 0n, script: assemble(script(by)) }
  const code = assemble((given.signed ?? script)(by))
  const signature = encoding(signEcdsa(given.secret ?? secret, legacyHash(spendingOf(spent), 0, code, type)), type)
  const subject = { scriptSig: push(signature), scriptPubKey: script(by), flags }
  return { name, ...rules !== undefined && { rules }, spend: subject, expect }
}

interface WitnessSpend {
  readonly key?: Uint8Array
  readonly flags?: string
  readonly amount?: bigint
  readonly signedAmount?: bigint
  readonly nested?: boolean
}

/** A spend of pay to witness public key hash. */
const toWitnessKey = (name: string, expect: unknown, given: WitnessSpend = {}): VectorCase => {
  const { key: by = key.compressed, flags = CONSENSUS, amount = 1000n, nested = false } = given
  const program = join(fromHex("0014"), hash160(by))
  const script = nested ? `HASH160 ${push(hash160(program))} EQUAL` : `0 ${push(hash160(by))}`
  const code = join(fromHex("76a914"), hash160(by), fromHex("88ac"))
  const digest = witnessV0Hash(
    spendingOf({ value: amount, script: assemble(script) }),
    0,
    code,
    given.signedAmount ?? amount,
    1
  )
  const witness = [toHex(strict(signEcdsa(secret, digest), 1)), toHex(by)]
  const scriptSig = nested ? { scriptSig: push(program) } : {}
  return { name, spend: { ...scriptSig, scriptPubKey: script, witness, amount: Number(amount), flags }, expect }
}

/** A spend of a witness script that checks one signature; `signed` is the script code where it differs. */
const toWitnessScript = (name: string, expect: unknown, script: string, signed = script): VectorCase => {
  const code = assemble(script)
  const scriptPubKey = `0 ${push(sha256(code))}`
  const digest = witnessV0Hash(spendingOf({ value: 0n, script: assemble(scriptPubKey) }), 0, assemble(signed), 0n, 1)
  return {
    name,
    spend: { scriptPubKey, witness: [toHex(strict(signEcdsa(secret, digest), 1)), toHex(code)], flags: CONSENSUS },
    expect
  }
}

const toScriptHash = (): VectorCase => {
  const redeem = assemble(`${push(key.compressed)} CHECKSIG`)
  const scriptPubKey = `HASH160 ${push(hash160(redeem))} EQUAL`
  const digest = legacyHash(spendingOf({ value: 0n, script: assemble(scriptPubKey) }), 0, redeem, 1)
  const scriptSig = `${push(strict(signEcdsa(secret, digest), 1))} ${push(redeem)}`
  return {
    name: "behind a script hash the redeem script is signed, not the output's script",
    rules: ["SCR-022"],
    spend: { scriptSig, scriptPubKey, flags: CONSENSUS },
    expect: "holds"
  }
}

/** A signature that stands in the script it signs: the key is found for it afterwards, and comes with the scriptSig. */
const fixed = strict({ r: reduced(Point.BASE.multiply(9n).toAffine().x), s: 4n }, 1)

const signatureInScript = (
  name: string,
  expect: unknown,
  script: string,
  signed: string,
  flags = CONSENSUS
): VectorCase => {
  const digest = legacyHash(spendingOf({ value: 0n, script: assemble(script) }), 0, assemble(signed), 1)
  const by = keyForms(signerOf(Point.BASE.multiply(9n), 4n, digest)).compressed
  return { name, spend: { scriptSig: `${push(fixed)} ${push(by)}`, scriptPubKey: script, flags }, expect }
}

const fixedPush = join(Uint8Array.of(fixed.length), fixed)

const ONE = join(Uint8Array.of(1), to32(0n).subarray(1))

/** Input 1 of a transaction with one output, signed with SINGLE; `digest` is what is signed. */
const singleWithoutOutput = (name: string, expect: unknown, digest: Uint8Array): VectorCase => {
  const spent = ["1", `${push(key.compressed)} CHECKSIG`].map((script) => ({ value: 0n, script: assemble(script) }))
  const signed = withInput(paysOne, 1, assemble(push(strict(signEcdsa(secret, digest), 3))))
  return { name, rules: ["SHH-001"], spend: spendSubject(signed, spent, 1, CONSENSUS), expect }
}

const withFlags = (...flags: ReadonlyArray<string>): string => [CONSENSUS, ...flags].join(",")
const broken = fromHex("3006020101020101")
const POLICY = "LOW_S,STRICTENC,NULLFAIL,CONST_SCRIPTCODE"

export const ecdsaChecks: RuleVectors = {
  rule: "SIG-009",
  cases: [
    toKey("pay to public key", "holds", { rules: ["SIG-001", "SIG-004", "SHH-001"] }),
    toKey("an uncompressed key", "holds", { key: key.uncompressed }),
    toKey("a hybrid key is valid in a block", "holds", { key: key.hybrid }),
    toKey("a hybrid key is refused by policy", breaks("POL-002", "PUBKEYTYPE"), {
      key: key.hybrid,
      flags: withFlags("STRICTENC")
    }),
    toKey("a hybrid key of the wrong parity does not verify", FALSE, { key: key.wrongHybrid }),
    toKey("hash type 00 is valid in a block, under BIP66 too", "holds", { type: 0 }),
    toKey("hash type 04 is valid in a block", "holds", { type: 4 }),
    toKey("hash type 50 is valid in a block", "holds", { type: 0x50 }),
    toKey("hash type 00 is refused by policy", breaks("POL-001", "SIG_HASHTYPE"), {
      type: 0,
      flags: withFlags("STRICTENC")
    }),
    toKey("NONE with ANYONECANPAY", "holds", { type: 0x82, flags: withFlags("STRICTENC") }),
    toKey("a high s is valid in a block", "holds", { encoding: highS }),
    toKey("a high s is refused by policy", breaks("POL-003", "SIG_HIGH_S"), {
      encoding: highS,
      flags: withFlags("LOW_S")
    }),
    toKey("a padded r was valid before BIP66", "holds", { encoding: padded, flags: "P2SH" }),
    toKey("a padded r under BIP66", breaks("SIG-001", "SIG_DER"), { encoding: padded }),
    toKey("a signature by another key", FALSE, { secret: secretKey(2) }),
    toKey("a signature by another key under NULLFAIL", breaks("POL-011", "NULLFAIL"), {
      secret: secretKey(2),
      flags: withFlags("NULLFAIL")
    }),
    toKey("an empty signature", FALSE, { encoding: empty, flags: withFlags("NULLFAIL") }),
    toKey("an empty signature where the script wants one that fails", "holds", {
      encoding: empty,
      flags: withFlags(POLICY),
      script: (k) => `${push(k)} CHECKSIG NOT`
    }),
    toKey("strict encoding comes first", breaks("SIG-001", "SIG_DER"), {
      key: key.hybrid,
      type: 4,
      encoding: () => broken,
      flags: withFlags("LOW_S", "STRICTENC")
    }),
    toKey("low s comes before the hash type", breaks("POL-003", "SIG_HIGH_S"), {
      key: key.hybrid,
      type: 4,
      encoding: highS,
      flags: withFlags("LOW_S", "STRICTENC")
    }),
    toKey("the hash type comes before the key", breaks("POL-001", "SIG_HASHTYPE"), {
      key: key.hybrid,
      type: 4,
      flags: withFlags("LOW_S", "STRICTENC")
    }),
    toKey("the key is judged even where the signature is empty", breaks("POL-002", "PUBKEYTYPE"), {
      key: key.hybrid,
      encoding: empty,
      flags: withFlags("STRICTENC")
    }),
    toScriptHash(),
    toKey("a separator before the check cuts the script code", "holds", {
      script: (k) => `NOP CODESEPARATOR ${push(k)} CHECKSIG`,
      signed: (k) => `${push(k)} CHECKSIG`
    }),
    toKey("a separator that is not executed does not cut, and is not signed", "holds", {
      script: (k) => `0 IF CODESEPARATOR ENDIF ${push(k)} CHECKSIG`,
      signed: (k) => `0 IF ENDIF ${push(k)} CHECKSIG`
    }),
    toKey("a separator behind the check is not signed", "holds", {
      script: (k) => `${push(k)} CHECKSIG CODESEPARATOR`,
      signed: (k) => `${push(k)} CHECKSIG`
    }),
    signatureInScript(
      "the signature is deleted from the script code",
      "holds",
      `${push(fixed)} DROP CHECKSIG`,
      "DROP CHECKSIG"
    ),
    signatureInScript(
      "deleting the signature is refused by policy",
      breaks("POL-017", "SIG_FINDANDDELETE"),
      `${push(fixed)} DROP CHECKSIG`,
      "DROP CHECKSIG",
      withFlags("CONST_SCRIPTCODE")
    ),
    signatureInScript(
      "a push that contains the signature is left alone: CVE-2024-38365",
      "holds",
      `${push(fixedPush)} DROP CHECKSIG`,
      `${push(fixedPush)} DROP CHECKSIG`
    ),
    signatureInScript(
      "the signature behind a longer push prefix is left alone",
      "holds",
      `PUSHDATA1 0x${toHex(fixedPush)} DROP CHECKSIG`,
      `PUSHDATA1 0x${toHex(fixedPush)} DROP CHECKSIG`
    ),
    signatureInScript(
      "a signature over the script with itself in it does not verify",
      FALSE,
      `${push(fixed)} DROP CHECKSIG`,
      `${push(fixed)} DROP CHECKSIG`
    ),
    singleWithoutOutput("SINGLE without an output signs the number one", "holds", ONE),
    singleWithoutOutput("the number one is little-endian", FALSE, to32(1n)),
    toWitnessKey("pay to witness public key hash", "holds"),
    toWitnessKey("nested in a script hash", "holds", { nested: true }),
    toWitnessKey("an uncompressed key in a witness is valid in a block", "holds", { key: key.uncompressed }),
    toWitnessKey("a hybrid key in a witness is valid in a block", "holds", { key: key.hybrid }),
    toWitnessKey("an uncompressed key in a witness is refused by policy", breaks("POL-012", "WITNESS_PUBKEYTYPE"), {
      key: key.uncompressed,
      flags: withFlags("WITNESS_PUBKEYTYPE")
    }),
    toWitnessKey("another amount was signed", breaks("WIT-009", "EVAL_FALSE"), { signedAmount: 999n }),
    toWitnessScript("a witness script is signed whole", "holds", `${push(key.compressed)} CHECKSIG`),
    toWitnessScript(
      "in a witness a separator cuts the script code too",
      "holds",
      `NOP CODESEPARATOR ${push(key.compressed)} CHECKSIG`,
      `${push(key.compressed)} CHECKSIG`
    ),
    toWitnessScript(
      "in a witness a separator behind the check is signed",
      "holds",
      `${push(key.compressed)} CHECKSIG CODESEPARATOR`
    ),
    toWitnessScript(
      "in a witness no separator is removed",
      breaks("WIT-009", "EVAL_FALSE"),
      `${push(key.compressed)} CHECKSIG CODESEPARATOR`,
      `${push(key.compressed)} CHECKSIG`
    )
  ]
}
