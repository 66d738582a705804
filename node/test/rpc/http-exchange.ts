import { request } from "node:http"
import type { HostPort } from "../../src/config/config.ts"

export interface Exchange {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** One request on a connection of its own, and what came back. */
export const exchange = (
  { host, port }: HostPort,
  { body, headers = {}, method = "POST", path = "/" }: Sent
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString()
        }))
    })
    sent.on("error", reject)
    sent.end(body)
  })

export const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`

export const bearer = (token: string): string => `Bearer ${token}`
