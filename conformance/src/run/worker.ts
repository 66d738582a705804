import { selectProvider } from "@lockstep/crypto/select.ts"
import { parentPort, workerData } from "node:worker_threads"
import { createBench } from "../judge/bench.ts"
import { fileAt, type Source } from "../sources/source.ts"
import { judgeUnit } from "./judge-unit.ts"
import type { Unit, UnitResult } from "./result.ts"

/** What a worker is started with. */
export interface WorkerStart {
  readonly provider: string
  readonly sources: ReadonlyArray<Source>
}

/** What a worker says: how it goes on, or what became of its unit. */
export type WorkerMessage =
  | { readonly kind: "progress"; readonly unit: Unit; readonly judged: number; readonly failed: number }
  | { readonly kind: "done"; readonly result: UnitResult }

const port = parentPort
if (port !== null) {
  const { provider, sources } = workerData as WorkerStart
  const selection = selectProvider(provider)
  if (!selection.ok) throw new Error(`provider ${provider} is gone`)
  const bench = createBench(selection.provider.crypto)
  const say = (message: WorkerMessage): void => port.postMessage(message)
  port.on("message", (unit: Unit) => {
    const file = fileAt(sources[unit.source]!, unit.path)
    void judgeUnit(unit, file, bench, (judged, failed) => say({ kind: "progress", unit, judged, failed }))
      .then((result) => say({ kind: "done", result }))
  })
}
