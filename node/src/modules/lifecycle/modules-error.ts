import * as Data from "effect/Data"

/** A failed operation on a module; the message says what to do. */
export class ModulesError extends Data.TaggedError("ModulesError")<{
  readonly reason: "unknown" | "refused" | "in the way" | "failed"
  readonly message: string
}> {}

const error = (reason: ModulesError["reason"]) => (message: string): ModulesError =>
  new ModulesError({ reason, message })

/** The module does not exist. */
export const unknown = error("unknown")
/** The module must not be loaded. */
export const refused = error("refused")
/** The state of this module or of another one does not allow the operation. */
export const inTheWay = error("in the way")
/** The module was started and does not run. */
export const failed = error("failed")
