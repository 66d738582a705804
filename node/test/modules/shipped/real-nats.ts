import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { connect as connectTcp, type Socket } from "node:net"
import { join } from "node:path"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { patience } from "../../process/patience.ts"
import type { TestCertificate } from "./authority.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

const PLACES = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/bin"]

/** The server of the NATS authors on this machine; none: it is not installed. */
export const NATS_SERVER: string | undefined = PLACES.map((place) => join(place, "nats-server")).find((path) =>
  existsSync(path)
)

/** A real server with a stream, over TLS. */
export interface RealNats {
  /** Makes the stream `EVENTS` of all subjects below one. */
  readonly addStream: (subject: string) => Promise<void>
  /** The bodies that the stream has, in its order. */
  readonly stored: () => Promise<ReadonlyArray<{ readonly subject: string; readonly body: string }>>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

interface RealNatsOptions {
  readonly directory: string
  readonly port: number
  readonly certificate: TestCertificate
  readonly authority: string
  readonly user: string
  readonly password: string
}

/** Calls the server: each over a connection of its own, with a reply to an inbox. */
const callerOf = ({ authority, password, port, user }: RealNatsOptions) => (subject: string, request: object) =>
  new Promise<unknown>((resolve, reject) => {
    const plain: Socket = connectTcp({ host: "127.0.0.1", port })
    plain.on("error", reject)
    // The server says what it is, and then speaks TLS.
    plain.once("data", () => {
      plain.removeAllListeners("data")
      const secured: TLSSocket = connectTls({ socket: plain, host: "127.0.0.1", ca: authority })
      let received = ""
      const body = JSON.stringify(request)
      secured.on("error", reject).on("secureConnect", () => {
        const who = JSON.stringify({ user, pass: password, verbose: false, pedantic: false, tls_required: true })
        secured.write(`CONNECT ${who}\r\nSUB inbox 1\r\nPUB ${subject} inbox ${Buffer.byteLength(body)}\r\n${body}\r\n`)
      }).on("data", (chunk: Buffer) => {
        received += chunk.toString()
        const message = /MSG inbox 1 (\d+)\r\n/.exec(received)
        if (received.includes("-ERR")) return reject(new Error(received))
        if (message === null) return undefined
        const start = message.index + message[0].length
        if (received.length < start + Number(message[1])) return undefined
        secured.destroy()
        return resolve(JSON.parse(received.slice(start, start + Number(message[1]))))
      })
    })
  })

interface StreamInfo {
  readonly state: { readonly last_seq: number }
}

interface StoredMessage {
  readonly message: { readonly subject: string; readonly data: string }
}

/** A server that is not started yet. */
export const realNats = (options: RealNatsOptions): RealNats => {
  const { certificate, directory, password, port, user } = options
  const file = join(directory, "nats.conf")
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"
jetstream { store_dir: "${join(directory, "jetstream")}" }
tls { cert_file: "${certificate.certFile}", key_file: "${certificate.keyFile}" }
authorization { user: "${user}", password: "${password}" }
`
  )
  const call = callerOf(options)
  let running: ChildProcess | undefined

  /** A call that waits until the server answers. */
  const answered = async (subject: string, request: object): Promise<unknown> => {
    const deadline = Date.now() + patience(60_000)
    for (;;) {
      try {
        return await call(subject, request)
      } catch (error) {
        if (Date.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  return {
    start: async () => {
      running = endsWithTests(spawn(NATS_SERVER!, ["-c", file], { stdio: "ignore" }))
      await answered("$JS.API.INFO", {})
    },
    kill: async () => {
      const ended = once(running!, "exit")
      running!.kill("SIGKILL")
      await ended
    },
    addStream: async (subject) => {
      await call("$JS.API.STREAM.CREATE.EVENTS", { name: "EVENTS", subjects: [`${subject}.>`], storage: "file" })
    },
    stored: async () => {
      const { state } = await call("$JS.API.STREAM.INFO.EVENTS", {}) as StreamInfo
      const found: Array<{ readonly subject: string; readonly body: string }> = []
      for (let seq = 1; seq <= state.last_seq; seq++) {
        const { message } = await call("$JS.API.STREAM.MSG.GET.EVENTS", { seq }) as StoredMessage
        found.push({ subject: message.subject, body: Buffer.from(message.data, "base64").toString() })
      }
      return found
    }
  }
}
