/** Bytes converted to digits at a time. Strings of this length put no noticeable load on the garbage collector. */
const PART = 16_384

/**
 * A text that contains the hexadecimal digits of a long byte sequence. These digits never become one string, which
 * would take most of the time and memory.
 */
export class LongText {
  readonly before: string
  readonly inside: Buffer
  readonly after: string
  constructor(before: string, inside: Buffer, after: string) {
    this.before = before
    this.inside = inside
    this.after = after
  }

  get length(): number {
    return this.before.length + 2 * this.inside.length + this.after.length
  }

  /** Returns the text followed by `end`, as bytes. */
  bytes(end: string): Uint8Array {
    const { inside } = this
    const [head, tail] = [Buffer.from(this.before), Buffer.from(this.after + end)]
    const bytes = Buffer.allocUnsafeSlow(head.length + 2 * inside.length + tail.length)
    bytes.set(head)
    for (let at = 0; at < inside.length; at += PART) {
      bytes.write(inside.toString("hex", at, Math.min(at + PART, inside.length)), head.length + 2 * at, "latin1")
    }
    bytes.set(tail, head.length + 2 * inside.length)
    return bytes
  }

  toString(): string {
    return this.before + this.inside.toString("hex") + this.after
  }
}
