import type { Happening } from "../../runtime/trace.ts"
import type { CoreLine } from "./core-line.ts"

/** The lines for each kind of happening. */
export type LinesBy = {
  readonly [T in Happening["_tag"]]: (
    happening: Extract<Happening, { readonly _tag: T }>,
    showsIps: boolean
  ) => ReadonlyArray<CoreLine>
}
