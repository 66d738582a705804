import { Agent, request } from "node:http"

/** What a server answered: its HTTP status and the body as text. */
export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/** An error the server answered with. */
export class RpcFailure extends Error {
  readonly code: number
  readonly status: number
  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface RpcClient {
  /** The result of a call; an error answer is thrown. */
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
  readonly post: (body: string, headers?: Readonly<Record<string, string>>) => Promise<HttpAnswer>
  readonly close: () => void
}

/** Talks to the node on 127.0.0.1; `token` goes with every call, as credentials of a scheme of HTTP. */
export const rpcClient = (port: number, token?: string, scheme: "Bearer" | "Basic" = "Bearer"): RpcClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const post: RpcClient["post"] = (body, headers = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          host: "127.0.0.1",
          port,
          method: "POST",
          path: "/",
          headers: { "content-type": "application/json", ...headers }
        },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", reject)
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }))
        }
      )
      sent.on("error", reject)
      sent.end(body)
    })
  const call: RpcClient["call"] = async (method, ...params) => {
    const headers = token === undefined ? {} : { authorization: `${scheme} ${token}` }
    const { body, status } = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers)
    const answer = JSON.parse(body) as { result?: unknown; error?: { code: number; message: string } | null }
    if (answer.error !== undefined && answer.error !== null) {
      throw new RpcFailure(status, answer.error.code, answer.error.message)
    }
    return answer.result
  }
  return { call, post, close: () => agent.destroy() }
}
