import type { BatchWriter } from "./key-value-store.ts"

/** A batch that remembers the error of an entry. */
export interface WholeBatch extends BatchWriter {
  /** Throws the error of the first failed entry. A `fill` that caught it may have continued. */
  readonly demandWhole: () => void
}

/** Wraps a batch. Without this, a `fill` that catches an error would write a batch that lacks an entry. */
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
