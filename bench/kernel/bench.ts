import type { BenchRun, BenchSettings } from "../bench.ts"
import type { Row } from "../row.ts"
import { type BlockFile, realBlocks, syntheticBlock, TARGET_BLOCK } from "./block-files.ts"
import { blockRows } from "./blocks.ts"
import { coinHashRows } from "./coin-hash.ts"
import { connectRows } from "./connect.ts"
import { headerRows } from "./headers.ts"
import { heapRows } from "./heap.ts"
import { legacyTransactionRows } from "./legacy-transaction.ts"
import { scriptWorkerRows } from "./script-workers.ts"
import { targetsOf } from "./targets.ts"
import { verificationRows } from "./verifications.ts"

const blocksFor = ({ quick, vectors }: BenchSettings): ReadonlyArray<BlockFile> => {
  const real = realBlocks(vectors)
  if (real.length === 0) return [syntheticBlock()]
  return quick ? real.filter(({ name }) => name === TARGET_BLOCK) : real
}

/** Everything about the kernel that has a speed or a size. */
export const kernelBench = (settings: BenchSettings): BenchRun => {
  const { effort, onStep, providers, vectors } = settings
  const blocks = blocksFor(settings)
  onStep("verifying signed spends")
  const rows: Array<Row> = [...verificationRows(providers, effort)]
  onStep("hashing a legacy transaction of one megabyte")
  rows.push(...legacyTransactionRows(providers, effort))
  onStep("parsing blocks")
  rows.push(...blockRows(blocks, providers, effort))
  const fastest = providers[0]!
  onStep("accepting headers and connecting a block")
  rows.push(...headerRows(fastest, effort), ...connectRows(fastest, vectors, effort), ...coinHashRows(fastest, effort))
  onStep("judging scripts on workers")
  rows.push(...scriptWorkerRows(fastest, vectors, effort))
  onStep("measuring memory")
  rows.push(...heapRows(fastest, vectors))
  return { rows, targets: targetsOf(rows), second: "of processor time" }
}
