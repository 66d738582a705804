/** That a node is reached over Iroh, and how it is known there. */
export interface IrohEnd {
  /** The key that the node must prove, or has proved; none: a place of this node's own, whose key is not read yet. */
  readonly identity: string | undefined
}

/** How an address of a node begins that is reached over Iroh. */
export const IROH_SCHEME = "iroh://"

/** Whether a text is written as the public key of a node: 32 bytes in hexadecimal digits. */
export const isIrohIdentity = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** `iroh://`, and the identity where it is known: what stands before host and port. */
export const irohPrefix = ({ identity }: IrohEnd): string =>
  identity === undefined ? IROH_SCHEME : `${IROH_SCHEME}${identity}@`
