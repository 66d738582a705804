import type { Socket } from "node:net"

/** An answer as it came: the head with its names in lower case, and the body. */
export interface Answer {
  readonly status: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const END = "\r\n\r\n"

/** Reads the next answer of a connection by its length alone, as the smallest clients do. */
export const nextAnswer = (socket: Socket, before: { text: string }): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const end = before.text.indexOf(END)
      if (end < 0) return
      const [status = "", ...lines] = before.text.slice(0, end).split("\r\n")
      const headers = new Map(lines.map((line): [string, string] => {
        const colon = line.indexOf(": ")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
      }))
      const length = Number(headers.get("content-length") ?? 0)
      if (before.text.length < end + END.length + length) return
      const body = before.text.slice(end + END.length, end + END.length + length)
      before.text = before.text.slice(end + END.length + length)
      socket.off("data", more)
      resolve({ status, headers, body })
    }
    const more = (chunk: Buffer): void => {
      before.text += chunk.toString("latin1")
      look()
    }
    socket.on("data", more)
    socket.once("error", reject)
    look()
  })
