/** What kind of error an answer reports. */
export type IpcErrorKind = "ConnectionError" | "ProtocolError" | "PermissionDenied" | "ResourceExhausted" | "Timeout"

const KINDS: ReadonlyArray<string> = [
  "ConnectionError",
  "ProtocolError",
  "PermissionDenied",
  "ResourceExhausted",
  "Timeout"
] satisfies ReadonlyArray<IpcErrorKind>

/** An error of a request: its kind where it is one of the protocol's, and its words. */
export interface IpcError {
  /** Absent where the request itself failed, as for a file that is not there. */
  readonly kind: IpcErrorKind | undefined
  readonly text: string
  /** The code that a method of RPC failed with, where its module says one. */
  readonly code?: number
}

/** How an error stands in `error` of an answer: `PermissionDenied: …`, or the words alone. */
export const ipcErrorText = ({ kind, text }: IpcError): string => kind === undefined ? text : `${kind}: ${text}`

/** The error in `error` of an answer. */
export const ipcErrorOf = (error: string): IpcError => {
  const at = error.indexOf(": ")
  const kind = error.slice(0, Math.max(at, 0))
  return KINDS.includes(kind)
    ? { kind: kind as IpcErrorKind, text: error.slice(at + 2) }
    : { kind: undefined, text: error }
}
