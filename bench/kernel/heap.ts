import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { AvailableProvider } from "../../crypto/src/index.ts"
import type { Row } from "../row.ts"
import type { HeapFigure } from "./heap-probe.ts"

const PROBE = fileURLToPath(new URL("heap-probe.ts", import.meta.url))

/** A young generation large enough that a batch rarely meets a collection. */
const FLAGS = ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"]

const reasonIn = (stderr: string): string => /^.*Error: .*$/m.exec(stderr)?.[0] ?? "it gave no reason"

/** Memory per input, measured in a process of its own whose collector is under control. */
export const heapRows = ({ name }: AvailableProvider, vectors: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const probe = spawnSync(process.execPath, [...FLAGS, PROBE, name, ...vectors], { encoding: "utf8", timeout: 120_000 })
  if (probe.status !== 0) throw new Error(`the process that measures memory failed: ${reasonIn(probe.stderr)}`)
  const figures = JSON.parse(probe.stdout) as ReadonlyArray<HeapFigure>
  return figures.map((figure) => ({
    name: figure.name,
    provider: name,
    value: figure.bytes,
    unit: "bytes/input",
    ...(figure.times !== undefined && { ratio: figure.times, to: "size" })
  }))
}
