import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** Where inputs that once showed a fault are kept, and replayed by the tests. */
export const REGRESSIONS = fileURLToPath(new URL("../../regressions", import.meta.url))

export interface Finding {
  readonly target: string
  readonly seed: number
  readonly index: number
  readonly finding: string
  /** As the input codec writes it. */
  readonly input: string
}

/** Writes a finding under the hash of its input, and answers the path to report. */
export const saved = (found: Finding, regressions = REGRESSIONS): string => {
  const name = createHash("sha256").update(found.input).digest("hex").slice(0, 16)
  const directory = join(regressions, found.target)
  const file = join(directory, `${name}.json`)
  mkdirSync(directory, { recursive: true })
  const { target, seed, index, finding } = found
  writeFileSync(
    file,
    `${JSON.stringify({ target, seed, index, finding, input: JSON.parse(found.input) }, undefined, 2)}\n`
  )
  return relative(process.cwd(), file)
}
