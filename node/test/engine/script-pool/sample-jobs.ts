import { Field } from "@lockstep/conformance/formats/field.ts"
import { spentScript } from "@lockstep/conformance/judge/credited-script.ts"
import { creditAndSpend } from "@lockstep/conformance/judge/spending.ts"
import { selectProvider } from "@lockstep/crypto"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { type Collected, judgeScripts, type ScriptJob } from "@lockstep/kernel/connect"
import { type Block, decodeBlock } from "@lockstep/kernel/model"
import { CONSENSUS_FLAGS, type ScriptFlags } from "@lockstep/kernel/script"
import { createMachine } from "@lockstep/kernel/machine"
import { type Coin, overlayOn } from "@lockstep/kernel/utxo"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { JobFailure } from "../../../src/engine/script-pool/script-pool.ts"

/** A transaction with the coins it spends, and what is wrong with it in a block of today. */
export interface Sample {
  readonly bytes: Uint8Array
  readonly coins: ReadonlyArray<Coin>
  readonly failure: JobFailure | undefined
}

const selection = selectProvider()
if (!selection.ok) throw new Error("there is no crypto provider")
export const crypto = selection.provider.crypto

const machine = createMachine(crypto)

/** The failure of the first job that fails. */
export const judgedInOrder = (jobs: ReadonlyArray<ScriptJob>): JobFailure | undefined => {
  for (const [job, each] of jobs.entries()) {
    const verdict = judgeScripts(machine, each)
    if (Result.isFailure(verdict)) return { ...verdict.failure, detail: { ...verdict.failure.detail, job } }
  }
  return undefined
}

const EMPTY = new Uint8Array(0)

const sampleOf = (spend: Field): Sample => {
  const { spentOutputs, tx } = creditAndSpend({
    scriptSig: spend.find("scriptSig")?.script ?? EMPTY,
    amount: spend.find("amount")?.bigint ?? 0n,
    ...spentScript(spend.find("witness")?.items ?? [], spend.get("scriptPubKey"))
  }, crypto)(0, CONSENSUS_FLAGS)
  const coins = spentOutputs.map((output) => ({ ...output, height: 1, isCoinbase: false }))
  return { bytes: tx.bytes, coins, failure: judgedInOrder([{ tx, coins, flags: CONSENSUS_FLAGS }]) }
}

const RULES = fileURLToPath(new URL("../../../../vectors/rules", import.meta.url))

/** Some vectors are there for their size. */
const LARGEST = 2_000

const samples = globSync("*/*.json", { cwd: RULES }).sort().flatMap((file) =>
  new Field(JSON.parse(readFileSync(`${RULES}/${file}`, "utf8")), file, "").get("cases").items
    .flatMap((each) => each.find("spend") ?? [])
    .filter((spend) => spend.find("scriptPubKey") !== undefined)
    .map(sampleOf)
    .filter(({ bytes, coins }) => bytes.length + coins[0]!.script.length <= LARGEST)
)

/** The spends of our own vectors: those whose scripts hold, and those with one that fails. */
export const HOLDING = samples.filter(({ failure }) => failure === undefined)
export const FAILING = samples.filter(({ failure }) => failure !== undefined)

const COINBASE = Uint8Array.from(Buffer.from(
  `01000000${"01"}${"00".repeat(32)}ffffffff${"0151"}ffffffff${"01"}${"00".repeat(8)}${"0151"}00000000`,
  "hex"
))

/** How a block is made of samples: where its bytes are, and the flags of each job. */
export interface Making {
  readonly backed?: (bytes: Uint8Array) => Uint8Array
  readonly flagsAt?: (job: number) => ScriptFlags
}

/** A block of a coinbase and `chosen`, as far as collected as judging goes. */
export const blockOf = (
  chosen: ReadonlyArray<Sample>,
  { backed = (bytes) => bytes, flagsAt = () => CONSENSUS_FLAGS }: Making = {}
): { readonly block: Block; readonly collected: Collected } => {
  const transactions = [COINBASE, ...chosen.map(({ bytes }) => bytes)]
  const bytes = backed(concatBytes([new Uint8Array(80), encodeCompactSize(transactions.length), ...transactions]))
  const block = Result.getOrThrow(decodeBlock(bytes))
  const jobs = chosen.map(({ coins }, i) => ({ tx: block.transactions[i + 1]!, coins, flags: flagsAt(i) }))
  const delta = overlayOn({ coinAt: () => undefined }, 0, 0)
  return {
    block,
    collected: { failure: undefined, jobs, delta, undo: { spent: [], replaced: [] }, fees: 0n, sigOpCost: 0 }
  }
}
