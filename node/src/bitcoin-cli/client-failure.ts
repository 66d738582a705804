/** A failure without a result. Its message is the line that standard error gets after `error: `. */
export class ClientFailure extends Error {}

/** The node cannot be reached or is not ready; `-rpcwait` retries after this failure. */
export class NodeUnreachable extends ClientFailure {}

export const failClient = (message: string): never => {
  throw new ClientFailure(message)
}
