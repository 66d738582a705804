import type { EngineFault, QueryError, QueryErrorTag } from "./engine-error.ts"

/** A call: what goes in, what comes out, and what can be wrong with what is asked for. Each may also fail with a fault. */
export interface Call<In, Out, Errors extends QueryErrorTag = never> {
  readonly in: In
  readonly out: Out
  readonly fails: QueryError<Errors> | EngineFault
}
