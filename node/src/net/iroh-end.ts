/** Marks a node that is reached over Iroh, with its identity. */
export interface IrohEnd {
  /** The key that the node must prove, or has proved; `undefined` for an endpoint of this node whose key is not read yet. */
  readonly identity: string | undefined
}

/** Prefix of an address that is reached over Iroh. */
export const IROH_SCHEME = "iroh://"

/** Reports whether a text has the form of a node's public key: 32 bytes in hexadecimal. */
export const isIrohIdentity = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** `iroh://` and the identity, if known: the prefix before host and port. */
export const irohPrefix = ({ identity }: IrohEnd): string =>
  identity === undefined ? IROH_SCHEME : `${IROH_SCHEME}${identity}@`
