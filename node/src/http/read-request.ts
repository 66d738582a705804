import type { IncomingMessage, ServerResponse } from "node:http"

/** Result of receiving a body. */
export type Received =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  | { readonly _tag: "TooLarge" }
  /** Too much memory is held already. */
  | { readonly _tag: "NoRoom" }
  /** The client has disconnected. */
  | { readonly _tag: "Gone" }

const declaredLength = ({ headers }: IncomingMessage): number => Number(headers["content-length"] ?? 0)

/**
 * Receives a body and calls `done` once. Keeps at most `limit` bytes, each after `hold` has reserved memory for it.
 * Reserves nothing for bytes that were only declared.
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
