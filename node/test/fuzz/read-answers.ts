/** One answer of HTTP, as its bytes say. */
export interface HttpReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Answers in the order in which they came, or what in the bytes is none. */
export type Read = { readonly answers: ReadonlyArray<HttpReply> } | { readonly wrong: string }

const HEAD = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*\r\n((?:[!-9;-~]+: ?[\x20-\x7e\x80-\xff]*\r\n)*)\r\n/

const LAST_CHUNK = "0\r\n\r\n"

const headersOf = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    lines.split("\r\n").filter((line) => line !== "").map((line) => {
      const at = line.indexOf(":")
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    })
  )

const hasNoBody = (status: number): boolean => status === 204 || status === 304 || status < 200

/**
 * Reads what a server sent until it closed the connection. `bodiless`: the answers to these requests have a head alone.
 */
export const readAnswers = (bytes: Buffer, bodiless: (index: number) => boolean): Read => {
  const answers: Array<HttpReply> = []
  let rest = bytes
  while (rest.length > 0) {
    const [head, status, lines] = HEAD.exec(rest.toString("latin1")) ?? []
    if (head === undefined) return { wrong: `no head of an answer: ${rest.subarray(0, 100).toString("latin1")}` }
    const headers = headersOf(lines!)
    const length = Number(headers.get("content-length") ?? 0)
    // Only Node.js itself answers so: to a request without a host, with no body.
    const isEmptyChunk = headers.get("transfer-encoding") === "chunked" && rest.indexOf(LAST_CHUNK) === head.length
    if (headers.has("transfer-encoding") && !isEmptyChunk) return { wrong: "an answer in chunks" }
    const size = hasNoBody(Number(status)) || bodiless(answers.length) ? 0 : length
    const end = head.length + (isEmptyChunk ? LAST_CHUNK.length : size)
    if (end > rest.length) return { wrong: `an answer of ${size} bytes ends after ${rest.length - head.length}` }
    if (Number(status) >= 200) answers.push({ status: Number(status), headers, body: rest.subarray(head.length, end) })
    rest = rest.subarray(end)
  }
  return { answers }
}
