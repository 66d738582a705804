import type { TraceEvent } from "../../runtime/trace.ts"
import type { CoreLine } from "./core-line.ts"

/** The log lines for each kind of trace event. */
export type LinesBy<Happening extends TraceEvent = TraceEvent> = {
  readonly [T in Happening["_tag"]]: (
    happening: Extract<Happening, { readonly _tag: T }>,
    showsIps: boolean
  ) => ReadonlyArray<CoreLine>
}
