import { openSync, read } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { BareAnswers } from "./bare-server.ts"

const { answer, block = { path: process.execPath, offset: 0, size: 0 } } = JSON.parse(process.argv[2]!) as BareAnswers
const file = openSync(block.path, "r")

const send = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": String(body.length) })
  response.end(body, "latin1")
}

const sendBlock = (response: ServerResponse): void => {
  const { offset, size } = block
  read(file, Buffer.allocUnsafeSlow(size), 0, size, offset, (error, _count, bytes) => {
    if (error !== null) throw error
    send(response, `{"jsonrpc":"2.0","result":"${bytes.toString("hex")}","id":1}\n`)
  })
}

const server = createServer({ noDelay: true }, (request: IncomingMessage, response: ServerResponse) => {
  request.resume()
  request.on("end", () => request.url === "/block" ? sendBlock(response) : send(response, answer))
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
