import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Baseline, KnownBaselines } from "./baseline.ts"
import { digestOf } from "./digest.ts"

interface Line {
  readonly file: string
  readonly digest: string
  readonly baseline: Baseline
}

/**
 * Keeps what test files are like without a fault, for all runs below `root`. `others`: all files a test may run that
 * are no tests; `vectors`: the directory of the reference vectors, "" if there is none.
 */
export const openBaselineRecord = (
  root: string,
  others: ReadonlyArray<string>,
  vectors = process.env["LOCKSTEP_VECTORS"] ?? ""
): KnownBaselines => {
  const path = join(root, ".cache/mutation/test-files.jsonl")
  // Without the vectors a test of recordings takes no time.
  const othersDigest = `${digestOf(root, others)}${vectors}`
  const digests = new Map<string, string>()
  const digestFor = (file: string): string => {
    const digest = digests.get(file) ?? digestOf(root, [file]) + othersDigest
    digests.set(file, digest)
    return digest
  }
  const lines = new Map<string, Line>()
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  for (const line of text.split("\n").filter((each) => each.endsWith("}"))) {
    const read = JSON.parse(line) as Line
    lines.set(read.file, read)
  }
  mkdirSync(dirname(path), { recursive: true })
  return {
    of: (file) => {
      const line = lines.get(file)
      return line?.digest === digestFor(file) ? line.baseline : undefined
    },
    estimate: (file) => lines.get(file)?.baseline.milliseconds ?? 0,
    learned: (file, baseline) => {
      const line = { file, digest: digestFor(file), baseline }
      lines.set(file, line)
      appendFileSync(path, `${JSON.stringify(line)}\n`)
    }
  }
}
