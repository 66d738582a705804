import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { request } from "node:http"
import type { HostPort } from "../../src/config/config.ts"
import { RestServer, restServerLayer } from "../../src/rest/rest-server.ts"
import type { HttpServerError } from "../../src/http/http-server-error.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { type TestServer, testServer, type TestServerOptions } from "../rpc/test-server.ts"

export interface Asked {
  readonly verb?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
  /** The body, when it is JSON. */
  readonly json: any // oxlint-disable-line typescript/no-explicit-any
}

const send = ({ host, port }: HostPort, path: string, { body, headers = {}, verb = "GET" }: Asked): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = request({ host, port, method: verb, path, headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const bytes = Buffer.concat(chunks)
        const isJson = response.headers["content-type"] === "application/json" && bytes.length > 0
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          json: isJson ? JSON.parse(bytes.toString()) : undefined
        })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

export interface TestRest {
  readonly rpc: TestServer
  readonly address: HostPort
  /** Asks for a path behind `/api/v1`. */
  readonly ask: (path: string, asked?: Asked) => Effect.Effect<Answered>
}

/** REST on a port of its own, beside RPC, over a chain. */
export const testRest = Effect.fnUntraced(function*(
  options: Omit<TestServerOptions, "directory"> & { readonly directory?: string }
): Effect.fn.Return<TestRest, HttpServerError, Scope.Scope> {
  const rpc = yield* testServer({ ...options, directory: options.directory ?? (yield* temporaryDirectory) })
  const layer = restServerLayer({ host: "127.0.0.1", port: 0 }, 16)
  const context = yield* Layer.build(
    Layer.provide(layer, Layer.merge(Layer.succeedContext(rpc.shared), Logger.layer([])))
  )
  const { address } = Context.get(context, RestServer)
  return { rpc, address, ask: (path, asked = {}) => Effect.promise(() => send(address, `/api/v1${path}`, asked)) }
})
