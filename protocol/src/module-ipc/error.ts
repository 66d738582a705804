/** The kind of error in a response. */
export type IpcErrorKind = "ConnectionError" | "ProtocolError" | "PermissionDenied" | "ResourceExhausted" | "Timeout"

const KINDS: ReadonlyArray<string> = [
  "ConnectionError",
  "ProtocolError",
  "PermissionDenied",
  "ResourceExhausted",
  "Timeout"
] satisfies ReadonlyArray<IpcErrorKind>

/** An error of a request: its kind, if it is one of the protocol's, and its text. */
export interface IpcError {
  /** `undefined` if the request itself failed, for example because a file does not exist. */
  readonly kind: IpcErrorKind | undefined
  readonly text: string
  /** The code with which an RPC method failed, if its module sets one. */
  readonly code?: number
}

/** Formats an error for `error` of a response: `PermissionDenied: …`, or the text alone. */
export const ipcErrorText = ({ kind, text }: IpcError): string => kind === undefined ? text : `${kind}: ${text}`

/** Parses the error in `error` of a response. */
export const ipcErrorOf = (error: string): IpcError => {
  const at = error.indexOf(": ")
  const kind = error.slice(0, Math.max(at, 0))
  return KINDS.includes(kind)
    ? { kind: kind as IpcErrorKind, text: error.slice(at + 2) }
    : { kind: undefined, text: error }
}
