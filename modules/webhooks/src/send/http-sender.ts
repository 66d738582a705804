import type { ModuleNetwork } from "@lockstep/sdk"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import type { Duplex } from "node:stream"
import type { HttpHook } from "../hook.ts"
import { securedStream } from "./secured-stream.ts"
import type { Delivery, Sender } from "./sender.ts"
import { signatureOf } from "./signature.ts"

const SECOND = 1_000

const authorizationOf = ({ password, username }: URL): Readonly<Record<string, string>> => {
  if (username === "" && password === "") return {}
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return { authorization: `Basic ${credentials.toString("base64")}` }
}

const headersOf = ({ headers, secret, url }: HttpHook, { body, event, hook, number }: Delivery) => {
  const time = Math.floor(Date.now() / SECOND)
  return {
    ...authorizationOf(url),
    ...headers,
    host: url.host,
    "content-type": "application/json",
    "content-length": body.length,
    "lockstep-event": event,
    "lockstep-delivery": `${hook}-${number}`,
    "lockstep-timestamp": time,
    ...secret !== undefined && { "lockstep-signature": signatureOf(secret, time, body) }
  }
}

const reasonOf = (error: unknown, signal: AbortSignal): Error =>
  signal.aborted ? new Error("no answer in time") : error instanceof Error ? error : new Error(String(error))

/**
 * Sends each event as a request over its own connection. A status from 200 to 299 accepts it; redirects are not
 * followed.
 */
export const httpSender = (hook: HttpHook, network: ModuleNetwork, timeoutMs: number): Sender => {
  const { url } = hook
  const isSecured = url.protocol === "https:"
  const address = `${url.hostname}:${url.port === "" ? (isSecured ? 443 : 80) : url.port}`

  const post = (stream: Duplex, delivery: Delivery, signal: AbortSignal): Promise<IncomingMessage> => {
    const sent = request({
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: headersOf(hook, delivery),
      createConnection: () => stream,
      signal
    })
    const answered = once(sent, "response", { signal }) as Promise<[IncomingMessage]>
    sent.end(delivery.body)
    return answered.then(([response]) => response)
  }

  return {
    send: async (delivery) => {
      const signal = AbortSignal.timeout(timeoutMs)
      let stream: Duplex | undefined
      try {
        stream = await network.connect(address)
        const used = isSecured ? await securedStream(stream, url.hostname, hook.authorities, signal) : stream
        const response = await post(used, delivery, signal)
        response.on("error", () => undefined)
        const { statusCode = 0, statusMessage = "" } = response
        if (statusCode < 200 || statusCode > 299) throw new Error(`the answer is ${statusCode} ${statusMessage}`.trim())
      } catch (error) {
        throw reasonOf(error, signal)
      } finally {
        stream?.destroy()
      }
    },
    close: () => undefined
  }
}
