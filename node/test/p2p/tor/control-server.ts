import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"

export const SERVICE = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd"
export const KEY = `ED25519-V3:${"A".repeat(86)}==`
export const COOKIE = Buffer.alloc(32, 7)

/** What a scripted Tor does. */
export interface TorBehaviour {
  readonly methods?: string
  readonly cookieFile?: string
  /** What it takes for the password. */
  readonly password?: string
  /** Answers the challenge with this hash. */
  readonly serverHash?: string
  readonly socks?: string
  /** Whether it is too old for proofs of work. */
  readonly isOld?: boolean
  /** Bytes of each piece that it sends. */
  readonly piece?: number
  /** Answers a command with this instead, byte for byte. */
  readonly instead?: Readonly<Record<string, string>>
}

export interface ControlServer {
  readonly at: Endpoint
  readonly commands: Array<string>
  readonly connections: () => number
  /** Ends all connections; the server listens on. */
  readonly drop: () => void
  behaviour: TorBehaviour
}

const hmac = (key: string, ...parts: ReadonlyArray<Buffer>): string =>
  createHmac("sha256", key).update(Buffer.concat(parts)).digest("hex")

const NONCE = Buffer.alloc(32, 9)

/** What the cookie makes a client say, by the bytes that it chose. */
const cookieProof = (client: Buffer): string =>
  hmac("Tor safe cookie authentication controller-to-server hash", COOKIE, client, NONCE)

type Answer = (line: string, behaviour: TorBehaviour, proof: { wanted: string }) => string

const ANSWERS: Readonly<Record<string, Answer>> = {
  PROTOCOLINFO: (_, { cookieFile, methods = "NULL" }) => {
    const file = cookieFile === undefined ? "" : ` COOKIEFILE="${cookieFile}"`
    return `250-PROTOCOLINFO 1\r\n250-AUTH METHODS=${methods}${file}\r\n250-VERSION Tor="0.4.8.1"\r\n250 OK\r\n`
  },
  AUTHCHALLENGE: (line, { serverHash }, proof) => {
    const client = Buffer.from(line.split(" ")[2]!, "hex")
    const hash = serverHash ?? hmac("Tor safe cookie authentication server-to-controller hash", COOKIE, client, NONCE)
    proof.wanted = cookieProof(client)
    return `250 AUTHCHALLENGE SERVERHASH=${hash.toUpperCase()} SERVERNONCE=${NONCE.toString("hex").toUpperCase()}\r\n`
  },
  AUTHENTICATE: (line, { methods = "NULL", password }, proof) => {
    const wanted = methods.includes("HASHEDPASSWORD") ? JSON.stringify(password) : proof.wanted
    return line.slice("AUTHENTICATE ".length) === wanted ? "250 OK\r\n" : "515 Authentication failed\r\n"
  },
  GETINFO: (_, { socks = "\"127.0.0.1:9150\"" }) =>
    `650 STREAM 1 NEW\r\n250-net/listeners/socks=${socks}\r\n250 OK\r\n`,
  ADD_ONION: (line, { isOld = false }) => {
    if (isOld && line.includes("PoW")) return "512 Bad arguments to ADD_ONION\r\n"
    const made = line.includes("NEW:") ? `250-PrivateKey=${KEY}\r\n` : ""
    return `250-ServiceID=${SERVICE}\r\n${made}250 OK\r\n`
  }
}

const answerTo: Answer = (line, behaviour, proof) => {
  const [word = ""] = line.split(" ")
  return behaviour.instead?.[word] ?? ANSWERS[word]!(line, behaviour, proof)
}

const say = async (socket: Socket, text: string, piece: number): Promise<void> => {
  for (let at = 0; at < text.length; at += piece) {
    socket.write(text.slice(at, at + piece), "latin1")
    if (piece < text.length) await new Promise((resolve) => setImmediate(resolve))
  }
}

const serve = (socket: Socket, server: ControlServer): void => {
  const proof = { wanted: "" }
  let held = ""
  socket.on("error", () => undefined)
  socket.on("data", (bytes: Buffer) => {
    held += bytes.toString("latin1")
    for (let end = held.indexOf("\r\n"); end >= 0; end = held.indexOf("\r\n")) {
      const line = held.slice(0, end)
      held = held.slice(end + 2)
      server.commands.push(line)
      void say(socket, answerTo(line, server.behaviour, proof), server.behaviour.piece ?? 1_000_000)
    }
  })
}

/** The control port of a Tor on this machine that does what a test wants. */
export const startControl = (behaviour: TorBehaviour = {}, port = 0) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: ControlServer; readonly stop: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const drop = (): void => {
        for (const socket of sockets) socket.destroy()
      }
      const listener = createServer((socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        serve(socket, server)
      })
      const commands: Array<string> = []
      const server: ControlServer = {
        at: parseEndpoint("127.0.0.1", port)!,
        commands,
        connections: () => sockets.size,
        drop,
        behaviour
      }
      listener.listen(port, "127.0.0.1", () =>
        resume(Effect.succeed({
          server: Object.assign(server, { at: { ...server.at, port: (listener.address() as AddressInfo).port } }),
          stop: () => {
            listener.close()
            drop()
          }
        })))
    }),
    ({ stop }) => Effect.sync(stop)
  ).pipe(Effect.map(({ server }) => server))
