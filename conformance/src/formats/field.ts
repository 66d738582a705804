import { assemble, AssemblyError, type Parts, spellOut } from "./assembler.ts"
import { bytesOf, isHex } from "./hex.ts"
import { MalformedVector } from "./malformed.ts"

/** A value inside a vector file that knows where it stands, so that what is wrong with it can be named. */
export class Field {
  readonly raw: unknown
  readonly file: string
  readonly path: string

  constructor(raw: unknown, file: string, path: string) {
    this.raw = raw
    this.file = file
    this.path = path
  }

  fail(problem: string): never {
    throw new MalformedVector(this.file, this.path, problem)
  }

  private expected(what: string): never {
    const shown = JSON.stringify(this.raw) ?? "nothing"
    return this.fail(`expected ${what}, found ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`)
  }

  get items(): ReadonlyArray<Field> {
    return Array.isArray(this.raw) ? this.raw.map((item, i) => this.child(item, `[${i}]`)) : this.expected("an array")
  }

  get names(): ReadonlyArray<string> {
    return this.isObject(this.raw) ? Object.keys(this.raw) : this.expected("an object")
  }

  /** Element of an array. */
  at(index: number): Field {
    if (!Array.isArray(this.raw)) return this.expected("an array")
    if (index >= this.raw.length) return this.fail(`expected an element ${index}, found ${this.raw.length} elements`)
    return this.child(this.raw[index], `[${index}]`)
  }

  /** Member of an object that must be there. */
  get(name: string): Field {
    return this.find(name) ?? this.fail(`expected a member "${name}"`)
  }

  /** Member of an object, if it is there and not null. */
  find(name: string): Field | undefined {
    if (!this.isObject(this.raw)) return this.expected("an object")
    const value = this.raw[name]
    return value === undefined || value === null ? undefined : this.child(value, `.${name}`)
  }

  get text(): string {
    return typeof this.raw === "string" ? this.raw : this.expected("a string")
  }

  get boolean(): boolean {
    return typeof this.raw === "boolean" ? this.raw : this.expected("true or false")
  }

  get number(): number {
    return typeof this.raw === "number" ? this.raw : this.expected("a number")
  }

  get integer(): number {
    return Number.isSafeInteger(this.raw) ? this.raw as number : this.expected("an integer")
  }

  /** Satoshis, or any other integer of 64 bits: a JSON integer or its digits. */
  get bigint(): bigint {
    if (typeof this.raw === "string" && /^-?[0-9]+$/.test(this.raw)) return BigInt(this.raw)
    return Number.isSafeInteger(this.raw) ? BigInt(this.raw as number) : this.expected("an integer")
  }

  /** Bytes written as hex, or as an array of hex parts. */
  get bytes(): Uint8Array {
    const text = spellOut(this.parts, "")
    return isHex(text) ? bytesOf(text) : this.expected("hexadecimal bytes")
  }

  /** Bytes of a hash written last byte first. */
  get displayBytes(): Uint8Array {
    return this.bytes.reverse()
  }

  /** Bytes of a script in assembly. */
  get script(): Uint8Array {
    try {
      return assemble(this.parts)
    } catch (error) {
      if (error instanceof AssemblyError) return this.fail(error.message)
      throw error
    }
  }

  /** The same place with `raw` in it, for a value that stands for another. */
  replaced(raw: unknown): Field {
    return new Field(raw, this.file, this.path)
  }

  private get parts(): Parts {
    if (typeof this.raw === "string") return this.raw
    if (!Array.isArray(this.raw)) return this.expected("a string or an array of parts")
    return this.items.map((item) =>
      typeof item.raw === "string" ? item.raw : {
        repeat: item.get("repeat").text,
        times: item.get("times").integer
      }
    )
  }

  private child(raw: unknown, step: string): Field {
    return new Field(raw, this.file, this.path + step)
  }

  private isObject(raw: unknown): raw is Record<string, unknown> {
    return typeof raw === "object" && raw !== null && !Array.isArray(raw)
  }
}
