import { Duplex } from "node:stream"
import type { NodeClient } from "../client/node-client.ts"

/** Bytes that the node may send ahead of what the module has processed. */
const WINDOW = 256 * 1024

/** Processed bytes that are granted together. */
const GRANT = 64 * 1024

/** Maximum bytes of one request. */
const MOST_SENT = 1024 * 1024

type Done = (error?: Error | null) => void

/** One connection, as a stream of Node.js. The node holds its socket. */
export class NetworkStream extends Duplex {
  /** Address of the other side as `host:port`. */
  readonly remoteAddress: string
  private readonly node: NodeClient
  private readonly id: number
  private processed = 0
  /** True while the reader of this stream does not want more data. */
  private isBehind = false
  private isOver = false
  private hasEnded = false
  private drained: (() => void) | undefined

  constructor(node: NodeClient, id: number, remoteAddress: string) {
    super({ allowHalfOpen: false })
    this.node = node
    this.id = id
    this.remoteAddress = remoteAddress
    // A broken connection must not end the module. A module without an error handler sees that the stream is closed.
    this.on("error", () => undefined)
    this.node.ask("GrantNetwork", { connection_id: id, bytes: WINDOW }).catch((error: Error) => this.destroy(error))
  }

  private grant(least: number): void {
    if (this.processed < least || this.isOver) return
    const bytes = this.processed
    this.processed = 0
    // A connection that has ended meanwhile reports it separately.
    this.node.ask("GrantNetwork", { connection_id: this.id, bytes }).catch(() => undefined)
  }

  /** Receives data of the other side. */
  receive(data: Uint8Array): void {
    this.processed += data.length
    this.isBehind = !this.push(data)
    if (!this.isBehind) this.grant(GRANT)
  }

  /** Called when the node can accept more data. */
  drain(): void {
    const { drained } = this
    this.drained = undefined
    drained?.()
  }

  /** Called when the other side sends no more data. */
  endInput(): void {
    if (!this.hasEnded) this.push(null)
    this.hasEnded = true
  }

  /** Called when the connection has ended. */
  close(error: string | undefined): void {
    this.isOver = true
    this.drain()
    if (error === undefined) this.endInput()
    else this.destroy(new Error(error))
  }

  override _read(): void {
    if (!this.isBehind) return
    this.isBehind = false
    this.grant(1)
  }

  private async send(data: Buffer): Promise<void> {
    for (let at = 0; at < data.length; at += MOST_SENT) {
      if (this.isOver) throw new Error("the connection is closed")
      const part = data.subarray(at, at + MOST_SENT)
      const { is_full } = await this.node.ask("SendNetwork", { connection_id: this.id, data: part })
      if (is_full && !this.isOver) {
        await new Promise<void>((resolve) => {
          this.drained = resolve
        })
      }
    }
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.send(chunk).then(() => done(), done)
  }

  override _writev(chunks: Array<{ chunk: Buffer }>, done: Done): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  private closeRemote(now: boolean): Promise<unknown> {
    if (this.isOver) return Promise.resolve()
    // A connection that the node no longer has is closed.
    return this.node.ask("CloseNetwork", { connection_id: this.id, now }).catch(() => undefined)
  }

  override _final(done: Done): void {
    void this.closeRemote(false).then(() => done())
  }

  override _destroy(error: Error | null, done: Done): void {
    this.drain()
    void this.closeRemote(true)
    this.isOver = true
    done(error)
  }
}
