import { once } from "node:events"
import { type Duplex, duplexPair } from "node:stream"
import { assert, describe, it } from "vitest"
import { natsTransport } from "../webhooks/src/send/nats-transport.ts"

const INFO_LINE = `INFO {"server_id":"a","version":"2.10.0","proto":1,"max_payload":1048576,"headers":true}\r\n`
const OPTIONS = { verbose: false } as never

type Server = { readonly hostname: string; readonly port: number }

/** A transport over a stream whose other end a test has; `isSecured`: over TLS from the start. */
const transported = (isSecured = false) => {
  const [near, far] = duplexPair()
  const asked: Array<string> = []
  const securedStreams: Array<Duplex> = []
  const [secure, secureFar] = duplexPair()
  const transport = natsTransport({
    connect: (address) => {
      asked.push(address)
      return Promise.resolve(near)
    },
    secured: (stream) => {
      securedStreams.push(stream)
      return Promise.resolve(secure)
    },
    isSecured
  })
  const connect = (server: Server = { hostname: "a.example", port: 4222 }, options = OPTIONS): Promise<string> =>
    transport.connect(server as never, options).then(() => "connected", (error: Error) => error.message)
  return { asked, connect, far, near, secure, secureFar, securedStreams, transport }
}

const nextOf = async (chunks: AsyncIterator<Uint8Array>): Promise<string> => {
  const { done, value } = await chunks.next()
  return done === true ? "the end" : Buffer.from(value).toString()
}

describe("a transport of NATS", () => {
  it.each<readonly [string, string]>([
    ["a.example", "a.example:4222"],
    ["::1", "[::1]:4222"],
    ["[::1]", "[::1]:4222"],
    ["127.0.0.1", "127.0.0.1:4222"]
  ])("connects to %s as the place %s", async (hostname, place) => {
    const { asked, connect, far } = transported()
    far.write(INFO_LINE)
    assert.strictEqual(await connect({ hostname, port: 4222 }), "connected")
    assert.deepStrictEqual(asked, [place])
  })

  it("is connected once the server has said what it is, in any pieces, and hands that on first", async () => {
    const { connect, far, near, transport } = transported()
    far.write(INFO_LINE.slice(0, 20))
    const connecting = connect()
    setImmediate(() => void far.write(`${INFO_LINE.slice(20)}PING\r\n`))
    assert.strictEqual(await connecting, "connected")
    assert.isFalse(transport.isEncrypted())
    const chunks = transport[Symbol.asyncIterator]()
    let text = ""
    while (text.length < INFO_LINE.length + 6) text += await nextOf(chunks)
    assert.strictEqual(text, `${INFO_LINE}PING\r\n`)
    far.write("+OK\r\n")
    assert.strictEqual(await nextOf(chunks), "+OK\r\n")
    transport.send(Buffer.from("PONG\r\n"))
    assert.strictEqual(String((await once(far, "data"))[0]), "PONG\r\n")
    assert.deepStrictEqual([transport.lang, transport.version, near.destroyed], ["lockstep", "0.1.0", false])
  })

  it.each<readonly [string, boolean, string]>([
    ["the hook's URL asks for it", true, INFO_LINE],
    ["the server asks for it", false, INFO_LINE.replace("{", "{\"tls_required\":true,")]
  ])("is encrypted where %s", async (_, isSecured, info) => {
    const { connect, far, near, secureFar, securedStreams, transport } = transported(isSecured)
    far.write(info)
    assert.strictEqual(await connect(), "connected")
    assert.deepStrictEqual([securedStreams[0] === near, securedStreams.length], [true, 1])
    assert.isTrue(transport.isEncrypted())
    transport.send(Buffer.from("PING\r\n"))
    assert.strictEqual(String((await once(secureFar, "data"))[0]), "PING\r\n")
  })

  it("is not encrypted where the server says that it needs none", async () => {
    const { connect, far, securedStreams, transport } = transported()
    far.write(INFO_LINE.replace("{", "{\"tls_required\":false,"))
    assert.strictEqual(await connect(), "connected")
    assert.deepStrictEqual([securedStreams, transport.isEncrypted()], [[], false])
  })

  it.each<readonly [string, string, (far: Duplex) => void]>([
    ["speaks another protocol", "the server speaks no NATS", (far) => void far.write("220 mail\r\n".repeat(7_000))],
    ["ends", "the NATS server ended the connection", (far) => void far.end()]
  ])("is not connected where the server %s: %s", async (_, message, act) => {
    const { connect, far } = transported()
    act(far)
    assert.strictEqual(await connect(), message)
  })

  it("is not connected where the server cannot do what the client wants", async () => {
    const { connect, far } = transported()
    far.write(INFO_LINE.replace("\"proto\":1", "\"proto\":0"))
    assert.strictEqual(await connect(undefined, { noEcho: true } as never), "server does not support 'noEcho'")
  })

  it("is not connected where the stream is closed while it waits", async () => {
    const { connect, near } = transported()
    const connecting = connect()
    setImmediate(() => void near.destroy())
    assert.strictEqual(await connecting, "the NATS server ended the connection")
  })

  it("is over when the other side ends, without an error, and closes its own side", async () => {
    const { connect, far, near, transport } = transported()
    far.write(INFO_LINE)
    await connect()
    const chunks = transport[Symbol.asyncIterator]()
    await nextOf(chunks)
    assert.isFalse(transport.isClosed)
    far.end()
    assert.strictEqual(await nextOf(chunks), "the end")
    assert.deepStrictEqual([transport.isClosed, await transport.closed()], [true, undefined])
    assert.isTrue(near.writableEnded)
  })

  it("is over with the error of its stream", async () => {
    const { connect, far, near, transport } = transported()
    far.write(INFO_LINE)
    await connect()
    const chunks = transport[Symbol.asyncIterator]()
    await nextOf(chunks)
    const ended = nextOf(chunks)
    near.destroy(new Error("cut"))
    assert.strictEqual(await ended, "the end")
    assert.strictEqual(((await transport.closed()) as Error).message, "cut")
    assert.strictEqual(transport.closeError?.message, "cut")
  })

  it("is over once: the first reason stays, and its stream is destroyed though the other side still sends", async () => {
    const { connect, far, near, transport } = transported()
    far.write(INFO_LINE)
    await connect()
    const closed = once(near, "close")
    await transport.close(new Error("first"))
    transport.disconnect()
    await transport.close(new Error("second"))
    far.resume()
    await closed
    assert.deepStrictEqual([near.destroyed, transport.isClosed], [true, true])
    assert.strictEqual(((await transport.closed()) as Error).message, "first")
  })

  it("is destroyed at once where it is discarded, and needs no stream to be closed", async () => {
    const { connect, far, near, transport } = transported()
    far.write(INFO_LINE)
    await connect()
    transport.discard()
    assert.isTrue(near.destroyed)
    const unused = transported().transport
    unused.send(Buffer.from("x"))
    unused.discard()
    unused.disconnect()
    assert.isTrue(unused.isClosed)
  })
})
