/** Simpler values of the same shape, the boldest simplification first. */
const simplerBytes = function*(bytes: Uint8Array): Generator<Uint8Array> {
  for (let size = bytes.length; size >= 1; size = size >> 1) {
    for (let at = 0; at < bytes.length; at += size) {
      yield Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + size))
    }
    if (bytes.length > 2_000 && size < bytes.length / 64) return
  }
  if (bytes.some((byte) => byte !== 0) && bytes.length <= 80) {
    for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) yield bytes.map((byte, i) => (i === at ? 0 : byte))
  }
}

const simplerList = function*(list: ReadonlyArray<unknown>): Generator<unknown> {
  for (let at = 0; at < list.length; at++) yield list.filter((_, i) => i !== at)
  for (let at = 0; at < list.length; at++) {
    for (const simpler of simplerValues(list[at])) yield list.map((each, i) => (i === at ? simpler : each))
  }
}

const simplerRecord = function*(record: Readonly<Record<string, unknown>>): Generator<unknown> {
  for (const key of Object.keys(record)) {
    for (const simpler of simplerValues(record[key])) yield { ...record, [key]: simpler }
  }
}

const simplerValues = function*(value: unknown): Generator<unknown> {
  if (value instanceof Uint8Array) yield* simplerBytes(value)
  else if (value instanceof Set) {
    for (const each of value) {
      yield new Set([...value].filter((other) => other !== each))
    }
  } else if (Array.isArray(value)) yield* simplerList(value)
  else if (typeof value === "bigint" && value !== 0n) yield 0n
  else if (typeof value === "number" && value !== 0) yield* value > 1 ? [0, 1, value - 1] : [0]
  else if (typeof value === "object" && value !== null) yield* simplerRecord(value as Record<string, unknown>)
}

/** The simplest input found before `until` that still `shows` the finding, one simplification after another. */
export const minimised = async (
  input: unknown,
  shows: (candidate: unknown) => boolean | Promise<boolean>,
  until: number
): Promise<unknown> => {
  let smallest = input
  for (let improved = true; improved && Date.now() < until;) {
    improved = false
    for (const candidate of simplerValues(smallest)) {
      if (Date.now() >= until) break
      if (!(await shows(candidate))) continue
      smallest = candidate
      improved = true
      break
    }
  }
  return smallest
}
