import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { patience } from "../../process/patience.ts"

/** A connection on which anything can be sent, and what has come back on it. */
export interface RawConnection {
  readonly socket: Socket
  readonly text: () => string
  readonly isOpen: () => boolean
  readonly closed: Promise<void>
}

export const openRaw = (port: number): RawConnection => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  let text = ""
  let isOpen = true
  socket.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
  const closed = new Promise<void>((resolve) =>
    socket.on("close", () => {
      isOpen = false
      resolve()
    })
  )
  return { socket, text: () => text, isOpen: () => isOpen, closed }
}

/** The head of a request with a body of so many bytes. */
export const head = (length: number, ...lines: ReadonlyArray<string>): string =>
  `POST / HTTP/1.1\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join("")}Content-Length: ${length}\r\n\r\n`

/** Sends these pieces on a connection of their own; answers all that comes back until it ends. */
export const exchange = async (port: number, ...pieces: ReadonlyArray<string | Uint8Array>): Promise<string> => {
  const { closed, socket, text } = openRaw(port)
  for (const piece of pieces) socket.write(piece)
  await closed
  return text()
}

export const post = (port: number, body: string, ...lines: ReadonlyArray<string>): Promise<string> =>
  exchange(port, head(Buffer.byteLength(body), "Connection: close", ...lines), body)

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4)

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something holds, and says what when it never does. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const milliseconds = patience(30_000)
  const end = performance.now() + milliseconds
  while (!holds()) {
    if (performance.now() > end) throw new Error(`after ${milliseconds} ms it is not so that ${what}`)
    await pause(20)
  }
}

/** Files that this process may have open, some of which it has. */
export const mostConnections = (): number => {
  try {
    return Number(/Max open files\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]) - 500
  } catch {
    return 500
  }
}
