import type { IncomingMessage, ServerResponse } from "node:http"

/** How receiving a body went. */
export type Received =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  /** There is no memory for it at the moment. */
  | { readonly _tag: "NoRoom" }
  /** The client has left. */
  | { readonly _tag: "Gone" }

const declaredLength = ({ headers }: IncomingMessage): number => Number(headers["content-length"] ?? 0)

/**
 * Receives a body and calls `done` once. No more than `limit` bytes are kept, each after `hold` has set memory aside
 * for it, and none is set aside for bytes that have only been declared.
 */
export const receiveBody = (
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  hold: (bytes: number) => boolean,
  done: (received: Received) => void
): void => {
  if (declaredLength(request) > limit) return done({ _tag: "TooLarge" })
  if (request.headers.expect !== undefined) response.writeContinue()
  let chunks: Array<Uint8Array> = []
  let size = 0
  let isDone = false
  const finish = (received: Received): void => {
    if (isDone) return
    isDone = true
    chunks = []
    done(received)
  }
  request.on("data", (chunk: Buffer) => {
    if (isDone) return
    size += chunk.length
    if (size > limit) finish({ _tag: "TooLarge" })
    else if (hold(chunk.length)) chunks.push(chunk)
    else finish({ _tag: "NoRoom" })
  })
  request.on("end", () => finish({ _tag: "Body", bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }))
  response.on("close", () => finish({ _tag: "Gone" }))
}
