import { IROH_SCHEME, type IrohEnd, isIrohIdentity } from "./iroh-end.ts"
import { isQuicIdentity, QUIC_SCHEME, type QuicEnd } from "./quic-end.ts"

/** A node as an operator writes it. */
export interface WrittenNode {
  /** Host, optionally with a port. */
  readonly place: string
  /** Set if it is reached over QUIC. */
  readonly quic: QuicEnd | undefined
  /** Set if it is reached over Iroh. */
  readonly iroh: IrohEnd | undefined
}

/** Splits the text at `@` into identity and address. */
const splitIdentity = (rest: string): { readonly identity: string | undefined; readonly place: string } => {
  const at = rest.indexOf("@")
  return at < 0 ? { identity: undefined, place: rest } : { identity: rest.slice(0, at), place: rest.slice(at + 1) }
}

/**
 * Parses `host:port`, `quic://host:port`, `quic://identity@host:port` and `iroh://identity@host:port`. Returns
 * `undefined` if the identity is invalid. Iroh requires an identity.
 */
export const splitNode = (text: string): WrittenNode | undefined => {
  if (text.startsWith(QUIC_SCHEME)) {
    const { identity, place } = splitIdentity(text.slice(QUIC_SCHEME.length))
    if (identity !== undefined && !isQuicIdentity(identity)) return undefined
    return { place, quic: { identity }, iroh: undefined }
  }
  if (text.startsWith(IROH_SCHEME)) {
    const { identity, place } = splitIdentity(text.slice(IROH_SCHEME.length))
    if (identity === undefined || !isIrohIdentity(identity)) return undefined
    return { place, quic: undefined, iroh: { identity } }
  }
  return { place: text, quic: undefined, iroh: undefined }
}

/** Returns the transport of a written node as a part of an endpoint. */
export const writtenWay = ({ iroh, quic }: WrittenNode): { readonly quic?: QuicEnd; readonly iroh?: IrohEnd } => ({
  ...quic === undefined ? {} : { quic },
  ...iroh === undefined ? {} : { iroh }
})
