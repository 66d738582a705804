import { ipcErrorOf, type IpcErrorKind } from "@lockstep/protocol/module-ipc/index.ts"

/** The node refused a request, or is gone. `message` is the node's text. */
export class NodeError extends Error {
  /** The kind of the protocol's errors; absent where the request itself failed, as for a file that is not there. */
  readonly kind: IpcErrorKind | undefined

  constructor(kind: IpcErrorKind | undefined, text: string) {
    super(text)
    this.name = "NodeError"
    this.kind = kind
  }
}

/** The error in `error` of a response. */
export const nodeErrorOf = (error: string): NodeError => {
  const { kind, text } = ipcErrorOf(error)
  return new NodeError(kind, text)
}
