import { bigEndian, fromHex, join } from "../../src/oracles/byte-string.ts"
import { BASE, liftX, multiple, sum } from "../../src/oracles/curve.ts"
import { fromBigEndian } from "../../src/oracles/byte-string.ts"
import { taggedHash } from "../../src/oracles/hash.ts"
import { closed, type NaiveSpend } from "../../src/oracles/spend.ts"
import { tapLeafHash } from "../../src/oracles/taproot.ts"
import { type NaiveTransaction, transactionId } from "../../src/oracles/transaction.ts"
import { assemble } from "./assembler.ts"

const EMPTY = new Uint8Array(0)

/**
 * The transaction that spends the only output of one that pays `amount` to `scriptPubKey`, as the reference tests build
 * both.
 */
export const creditAndSpend = (
  scriptSig: Uint8Array,
  scriptPubKey: Uint8Array,
  witness: ReadonlyArray<Uint8Array>,
  amount: bigint,
  flags: Iterable<string>
): NaiveSpend => {
  const credit: NaiveTransaction = {
    version: 1,
    inputs: [{
      txid: new Uint8Array(32),
      vout: 0xffffffff,
      script: Uint8Array.of(0, 0),
      sequence: 0xffffffff,
      witness: []
    }],
    outputs: [{ value: amount, script: scriptPubKey }],
    lockTime: 0
  }
  const tx: NaiveTransaction = {
    version: 1,
    inputs: [{ txid: transactionId(credit), vout: 0, script: scriptSig, sequence: 0xffffffff, witness }],
    outputs: [{ value: amount, script: EMPTY }],
    lockTime: 0
  }
  return { tx, index: 0, spent: credit.outputs, flags: closed(flags) }
}

const INTERNAL_KEY = bigEndian(BASE.x, 32)

/**
 * Output key and control block of the taproot output whose only leaf is `script`, under the internal key of private key
 * 1.
 */
const singleLeaf = (script: Uint8Array): { readonly output: Uint8Array; readonly control: Uint8Array } => {
  const tweak = taggedHash("TapTweak", INTERNAL_KEY, tapLeafHash(0xc0, script))
  const point = sum(liftX(BASE.x, 0n), multiple(fromBigEndian(tweak), BASE))!
  return { output: bigEndian(point.x, 32), control: join([0xc0 + Number(point.y % 2n)], INTERNAL_KEY) }
}

export interface ScriptTest {
  readonly spend: NaiveSpend
  readonly expected: string
}

type Row = ReadonlyArray<string | ReadonlyArray<string | number>>

const readRow = (row: Row): ScriptTest | undefined => {
  if (row.length < 4) return undefined
  const [first, ...others] = row
  const witnessed = Array.isArray(first) ? (first as ReadonlyArray<string | number>) : undefined
  const [scriptSig, scriptPubKey, flags, expected] = (witnessed ? others : row) as ReadonlyArray<string>
  const amount = witnessed ? BigInt(Math.round(Number(witnessed.at(-1)) * 100_000_000)) : 0n
  let leaf: ReturnType<typeof singleLeaf> | undefined
  const witness = (witnessed ?? []).slice(0, -1).map((item) => {
    const text = String(item)
    if (text === "#CONTROLBLOCK#") return leaf!.control
    if (!text.startsWith("#SCRIPT#")) return fromHex(text)
    const script = assemble(text.slice(8))
    leaf = singleLeaf(script)
    return script
  })
  const output = scriptPubKey!.replace("#TAPROOTOUTPUT#", () => `0x${Buffer.from(leaf!.output).toString("hex")}`)
  const names = flags!.split(",").filter((name) => name !== "" && name !== "NONE")
  return { spend: creditAndSpend(assemble(scriptSig!), assemble(output), witness, amount, names), expected: expected! }
}

/** The rows of `script_tests.json`, comments left out. */
export const readScriptTests = (json: string): ReadonlyArray<ScriptTest> =>
  (JSON.parse(json) as ReadonlyArray<Row>).flatMap((row) => readRow(row) ?? [])
