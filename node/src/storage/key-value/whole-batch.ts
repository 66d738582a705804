import type { BatchWriter } from "./key-value-store.ts"

/** A batch that remembers what went wrong with an entry. */
export interface WholeBatch extends BatchWriter {
  /** Throws what the first entry that failed threw: a `fill` that catches it may have gone on after that. */
  readonly demandWhole: () => void
}

/** Without this a filler that catches an error would have a batch written that lacks an entry. */
export const wholeBatch = (batch: BatchWriter): WholeBatch => {
  let failure: { readonly error: unknown } | undefined
  const noting = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  return {
    put: (key, value) => noting(() => batch.put(key, value)),
    remove: (key) => noting(() => batch.remove(key)),
    demandWhole: () => {
      if (failure !== undefined) throw failure.error
    }
  }
}
