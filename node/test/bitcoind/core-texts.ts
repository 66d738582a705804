import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { TraceEvent } from "../../src/runtime/trace.ts"

/** The texts of the lines that Bitcoin Core's log has of a happening, without addresses of peers. */
export const coreTexts = (happening: TraceEvent): ReadonlyArray<string> =>
  linesOfTraceEvent(happening, false).map(({ text }) => text)
