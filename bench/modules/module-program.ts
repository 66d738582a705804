import { connect, type Socket } from "node:net"
import { BENCH_MODULE } from "../../node/test/modules/serve-for-bench.ts"
import {
  encodeModuleFrame,
  feedModuleFrames,
  MAX_NODE_MESSAGE_BYTES,
  moduleFrameReader,
  moduleRequest,
  readModuleFrame,
  type RequestPayload
} from "../../protocol/src/module-ipc/index.ts"
import { answerParent } from "../node/in-child.ts"

/** What the program is asked for: so many requests of one kind, of which so many are under way at a time. */
export interface AskedOfModule {
  readonly path: string
  readonly request: "GetBlockHeight" | "GetChainTip" | "GetBlock"
  readonly count: number
  readonly underWay: number
}

/** A client that counts answers and reads none of them. */
const client = (socket: Socket) => {
  const reader = moduleFrameReader(MAX_NODE_MESSAGE_BYTES)
  let answered: (() => void) | undefined
  const readAnswers = (): void => {
    for (;;) {
      const frame = readModuleFrame(reader)
      if (frame._tag === "Failure") throw new Error(`the node sent no frame: ${frame.failure._tag}`)
      if (frame.success === undefined) return
      answered?.()
    }
  }
  socket.on("data", (chunk: Buffer) => {
    feedModuleFrames(reader, chunk)
    // What is asked for in one turn goes out with one call to the system.
    socket.cork()
    readAnswers()
    socket.uncork()
  })
  return (payload: RequestPayload, count: number, underWay: number): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.once("close", () => reject(new Error("the node ended the connection")))
      let sent = 0
      let received = 0
      const frame = encodeModuleFrame(moduleRequest(1n, payload))
      const send = (): void => {
        sent++
        socket.write(frame)
      }
      answered = () => {
        received++
        if (sent < count) send()
        if (received === count) resolve()
      }
      for (let i = 0; i < Math.min(count, underWay); i++) send()
    })
}

/** Milliseconds that the answers took. */
await answerParent(async ({ count, path, request, underWay }: AskedOfModule): Promise<number> => {
  const socket = connect(path)
  const ask = client(socket)
  const payload: RequestPayload = request === "GetBlock"
    ? { _tag: request, hash: new Uint8Array(32) }
    : { _tag: request }
  await ask({ _tag: "Handshake", ...BENCH_MODULE }, 1, 1)
  await ask(payload, Math.ceil(count / 4), underWay)
  const start = performance.now()
  await ask(payload, count, underWay)
  const spent = performance.now() - start
  socket.removeAllListeners("close")
  socket.destroy()
  return spent
})
