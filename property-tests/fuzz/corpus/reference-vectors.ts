import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { fromHex } from "../../src/oracles/byte-string.ts"
import { parseTransaction } from "../../src/oracles/read-transaction.ts"
import { closed, type NaiveSpend } from "../../src/oracles/spend.ts"
import type { NaiveOutput } from "../../src/oracles/transaction.ts"
import { readScriptTests } from "./script-tests.ts"

/** Larger blocks would only slow down what small ones show as well. */
const LARGEST_BLOCK = 40_000

const linesOf = (file: string): ReadonlyArray<string> =>
  gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n")

/** About `count` lines, evenly spread over the file. */
const sampled = (lines: ReadonlyArray<string>, count: number): ReadonlyArray<string> => {
  const step = Math.max(1, Math.floor(lines.length / count))
  return lines.filter((_, i) => i % step === 0)
}

const spendOf = (
  tx: string,
  index: number,
  spent: ReadonlyArray<NaiveOutput>,
  flags: Iterable<string>
): ReadonlyArray<NaiveSpend> => {
  const parsed = parseTransaction(fromHex(tx))
  return typeof parsed === "string" ? [] : [{ tx: parsed, index, spent, flags: closed(flags) }]
}

const scriptDiff = (line: string): ReadonlyArray<NaiveSpend> => {
  const row = JSON.parse(line) as {
    tx: string
    index: number
    prevouts: ReadonlyArray<[number, string]>
    flags: ReadonlyArray<string>
  }
  return spendOf(
    row.tx,
    row.index,
    row.prevouts.map(([value, script]) => ({ value: BigInt(value), script: fromHex(script) })),
    row.flags
  )
}

/** Value and script of a serialized output whose script is shorter than 253 bytes. */
const outputOf = (hex: string): NaiveOutput => {
  const bytes = fromHex(hex)
  return { value: Buffer.from(bytes).readBigInt64LE(0), script: bytes.subarray(9) }
}

const taprootAsset = (line: string): ReadonlyArray<NaiveSpend> => {
  const row = JSON.parse(line) as {
    tx: string
    prevouts: ReadonlyArray<string>
    index: number
    flags: string
    success?: { scriptSig: string; witness: ReadonlyArray<string> }
  }
  if (row.success === undefined) return []
  const { scriptSig, witness } = row.success
  return spendOf(
    row.tx,
    row.index,
    row.prevouts.map(outputOf),
    row.flags.split(",").filter((name) => name !== "")
  ).map((spend) => ({
    ...spend,
    tx: {
      ...spend.tx,
      inputs: spend.tx.inputs.map((input, i) =>
        i === row.index ? { ...input, script: fromHex(scriptSig), witness: witness.map(fromHex) } : input
      )
    }
  }))
}

const transactionsOf = (file: string): ReadonlyArray<Uint8Array> =>
  (JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<ReadonlyArray<unknown>>).flatMap((row) =>
    row.length === 3 ? [fromHex(String(row[1]))] : []
  )

/** What a root with the layout of the reference vectors holds; files that are not there are left out. */
export const referenceVectors = (
  root: string
): {
  readonly spends: ReadonlyArray<NaiveSpend>
  readonly transactions: ReadonlyArray<Uint8Array>
  readonly blocks: ReadonlyArray<Uint8Array>
} => {
  const ifThere = <A>(path: string, read: (file: string) => ReadonlyArray<A>): ReadonlyArray<A> =>
    existsSync(join(root, path)) ? read(join(root, path)) : []
  return {
    spends: [
      ...ifThere(
        "script/script_tests.json",
        (file) => readScriptTests(readFileSync(file, "utf8")).map(({ spend }) => spend)
      ),
      ...ifThere("oracle/script_diff.jsonl.gz", (file) => sampled(linesOf(file), 2_000).flatMap(scriptDiff)),
      ...ifThere("script/taproot_assets.jsonl.gz", (file) => sampled(linesOf(file), 300).flatMap(taprootAsset))
    ],
    transactions: ["script/tx_valid.json", "script/tx_invalid.json"].flatMap((path) => ifThere(path, transactionsOf)),
    blocks: ifThere("blocks", (directory) =>
      readdirSync(directory)
        .filter((name) => name.endsWith(".blk"))
        .map((name) => join(directory, name))
        .filter((file) => statSync(file).size <= LARGEST_BLOCK)
        .map((file) => Uint8Array.from(readFileSync(file))))
  }
}
