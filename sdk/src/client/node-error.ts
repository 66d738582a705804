import { ipcErrorOf, type IpcErrorKind } from "@lockstep/protocol/module-ipc/index.ts"

/** The node refused a request or disconnected. `message` is the node's text. */
export class NodeError extends Error {
  /**
   * The kind of the protocol's error; `undefined` if the request itself failed, for example because a file does not
   * exist.
   */
  readonly kind: IpcErrorKind | undefined

  constructor(kind: IpcErrorKind | undefined, text: string) {
    super(text)
    this.name = "NodeError"
    this.kind = kind
  }
}

/** Parses the error in `error` of a response. */
export const nodeErrorOf = (error: string): NodeError => {
  const { kind, text } = ipcErrorOf(error)
  return new NodeError(kind, text)
}
