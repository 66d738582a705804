import * as Effect from "effect/Effect"
import type { Milliseconds } from "../../quantities.ts"

/** Limits of a download. */
export interface FetchLimits {
  readonly mostBytes: number
  readonly limitMs: Milliseconds
}

const received = async (url: URL, mostBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: Error }
  return cause?.message === undefined || cause.message === "" ? message : cause.message
}

/** Fetches a file from a server, up to a size and within a time; fails with a reason. */
export const fetchFile = (url: URL, { limitMs, mostBytes }: FetchLimits): Effect.Effect<Uint8Array, string> =>
  Effect.tryPromise({
    try: (signal) => received(url, mostBytes, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])),
    catch: (error) => `${url.href} cannot be fetched: ${reasonOf(error)}`
  })
