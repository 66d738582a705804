/** Why there is no result: the line that standard error gets behind `error: `. */
export class ClientFailure extends Error {}

/** The node cannot be reached, or is not ready: what `-rpcwait` waits for. */
export class NodeUnreachable extends ClientFailure {}

export const failClient = (message: string): never => {
  throw new ClientFailure(message)
}
