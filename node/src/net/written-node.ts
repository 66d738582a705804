import { IROH_SCHEME, type IrohEnd, isIrohIdentity } from "./iroh-end.ts"
import { isQuicIdentity, QUIC_SCHEME, type QuicEnd } from "./quic-end.ts"

/** A node as an operator writes it. */
export interface WrittenNode {
  /** Host and maybe port. */
  readonly place: string
  /** None: it is not reached over QUIC. */
  readonly quic: QuicEnd | undefined
  /** None: it is not reached over Iroh. */
  readonly iroh: IrohEnd | undefined
}

/** What stands before `@`, and behind it. */
const splitIdentity = (rest: string): { readonly identity: string | undefined; readonly place: string } => {
  const at = rest.indexOf("@")
  return at < 0 ? { identity: undefined, place: rest } : { identity: rest.slice(0, at), place: rest.slice(at + 1) }
}

/**
 * Reads `host:port`, `quic://host:port`, `quic://identity@host:port` and `iroh://identity@host:port`; none where the
 * identity is none. Iroh reaches no node without one.
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

/** How a written node is reached, as the part of an endpoint. */
export const writtenWay = ({ iroh, quic }: WrittenNode): { readonly quic?: QuicEnd; readonly iroh?: IrohEnd } => ({
  ...quic === undefined ? {} : { quic },
  ...iroh === undefined ? {} : { iroh }
})
