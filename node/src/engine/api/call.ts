import type { EngineFault, QueryError, QueryErrorTag } from "./engine-error.ts"

/** A call: its input, its output and its query errors. Each call may also fail with an `EngineFault`. */
export interface Call<In, Out, Errors extends QueryErrorTag = never> {
  readonly in: In
  readonly out: Out
  readonly fails: QueryError<Errors> | EngineFault
}
